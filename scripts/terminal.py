"""What a command writes to a terminal."""
import os
import pty
import subprocess


def run_on_terminal(command, stream="stdout", look=lambda written: None, **options):
    """
    Runs a command whose `stream` is a terminal: its exit status, and all bytes that it wrote there. `look` is called
    with what there is of these whenever more comes.
    """
    ours, terminal = pty.openpty()
    process = subprocess.Popen(command, **{stream: terminal}, **options)
    os.close(terminal)
    written = []
    try:
        while part := os.read(ours, 65536):  # what was written at once may come in parts
            written.append(part)
            look(b"".join(written))
    except OSError:
        pass  # the end: no process has the terminal any more
    os.close(ours)
    return process.wait(300), b"".join(written)
