"""Which tests of a script run: those that its command line names, or all of them."""
import operator
import sys


def chosen(tests, wanted, name=lambda test: test.__name__, fits=operator.eq):
    """The tests that fit one of the wanted names. A name that fits none ends the script, for nothing would run and pass;
    and --help prints what the script says of itself."""
    if "--help" in wanted:
        print(sys.modules["__main__"].__doc__)
        sys.exit()
    for want in wanted:
        if not any(fits(name(test), want) for test in tests):
            sys.exit(f"{sys.argv[0]}: no test is named {want}")
    return [test for test in tests if not wanted or any(fits(name(test), want) for want in wanted)]
