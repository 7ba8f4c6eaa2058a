"""Which hints of a comparison a build of Concilio knows: a hint that is passed over would measure something else."""
import re

ONLY_DEFAULT = "So far only the default is honoured"


def table_of(settings):
    """From `concilio hints --json`: hint or alias -> setting."""
    table = {}
    for setting in settings:
        if setting["hint"]:
            for name in [setting["hint"], *setting["aliases"]]:
                table[name] = setting
    return table


def fault_of(name, value, table):
    """Why this build does not honour NAME=VALUE; None if it does."""
    setting = table.get(name)
    if setting is None:
        return f"no hint {name}"
    words = setting["range"].split("|")
    if len(words) > 1 and all(re.fullmatch(r"[\w-]+", word) for word in words) and value not in words:
        return f"{name} takes no {value}"
    if ONLY_DEFAULT in setting["help"] and value != setting["default"]:
        return f"{name}={value} is not honoured"
    return None


def faults_of(variant, table):
    if not variant.concilio:
        return []
    hints = variant.hints_at(0)
    return [fault for name, value in hints.items() if (fault := fault_of(name, value, table))]
