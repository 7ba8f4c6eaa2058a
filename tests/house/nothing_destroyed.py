#!/usr/bin/python3
"""nothing_destroyed.py NM OBJDUMP ARCHIVE...: no static or thread_local of the preloaded library is destroyed.

Programs use files until their process has ended: in functions given to atexit and in destructors of statics. Those run
after the destructors of what was made later, so a static of ours that has one is a trap. The compiled archives are
looked at, where also a static in a header shows, or one whose type was given a destructor elsewhere: its destructor is
registered when it is made. Functions that run when the library is unloaded are found as well.
"""
import re
import subprocess
import sys

REGISTRATIONS = {"__cxa_atexit", "__cxa_thread_atexit", "atexit", "at_quick_exit", "on_exit"}
AT_UNLOADING = re.compile(r"\s*\d+ (\.fini_array|\.dtors)\b")
FUNCTION = re.compile(r"[0-9a-f]+ <(.*)>:$")
RELOCATION = re.compile(r"\s+[0-9a-f]+: R_\S+\s+(\w+)")


def lines_by_member(*command):
    """What nm or objdump say of an archive, line by line, each with the member it is about."""
    member = ""
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if found := re.match(r"(\S+\.o):(\s+file format .*)?$", line):
            member = found[1]
        elif member:
            yield member, line


def registering_functions(objdump, archive):
    """(member, function) for each function in which something is registered to be called at the end."""
    function = "?"
    command = (objdump, "--disassemble", "--reloc", "--demangle", "--no-show-raw-insn", archive)
    for member, line in lines_by_member(*command):
        if label := FUNCTION.match(line):
            function = label[1]
        elif (relocation := RELOCATION.match(line)) and relocation[1] in REGISTRATIONS:
            yield member, function


def faults(nm, objdump, archives):
    members = set()
    for archive in archives:
        registering = set()
        for member, line in lines_by_member(nm, archive):
            members.add((archive, member))
            if line.split()[-1:] and line.split()[-1].split("@")[0] in REGISTRATIONS:
                registering.add(member)
        functions = sorted(set(registering_functions(objdump, archive))) if registering else []
        for member, function in functions:
            yield f"{archive}: {member}: what is destroyed at the end is made in {function}"
        for member in sorted(registering - {member for member, _ in functions}):
            yield f"{archive}: {member}: something is destroyed at the end"
        for member, line in lines_by_member(objdump, "--section-headers", archive):
            if AT_UNLOADING.match(line):
                yield f"{archive}: {member}: a function runs when the library is unloaded"
    if not members:
        yield "nothing to look at"


def main():
    found = list(faults(sys.argv[1], sys.argv[2], sys.argv[3:]))
    for fault in found:
        print(fault)
    if found:
        print("Write `static auto& name = *new Type`, which nobody destroys.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
