# What test scripts in shell share: reports in TAP. To be sourced; the script ends with `exit $failed`.
number=0
failed=0
# What other tools say is read, as they say it in English.
LC_ALL=C
export LC_ALL

# report STATUS CASE: it has passed if the status is 0.
report() {
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

# skip CASE [REASON]: why it cannot be tried here. Without one: what the case is named after is not here.
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP ${2-$1 is not here}"
}
