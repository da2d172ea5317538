// A variable of each thread that has to be constructed: clang's function for that has a name in DWARF and none in the symbol table.
#include <string>

thread_local std::string name = "a name that is too long to be kept within the string";

__attribute__((noinline)) int length(int count)
{
	return name[count];
}

int main(int argc, char **)
{
	return length(argc) + name[0];
}
