module frames

go 1.19
