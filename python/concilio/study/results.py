"""What a study has measured: study.json, saved after every case, so that an interrupted study keeps what it has."""
import json
import os
import statistics

from . import machine

FORMAT = 1


class Damaged(Exception):
    """A file of results that cannot be gone on with."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Damaged(f"{path}: {error}") from error


class Study:
    def __init__(self, path, data):
        self.path = path
        self.data = data

    @classmethod
    def new(cls, path, **head):
        return cls(path, {"concilio_study": FORMAT, **head, "storages": [], "devices": {}, "results": [], "left_out": []})

    @classmethod
    def load(cls, path):
        data = read(path)
        if not isinstance(data, dict) or data.get("concilio_study") != FORMAT:
            raise Damaged(f"{path} is of no study, or of another version's")
        return cls(path, data)

    def save(self):
        partial = f"{self.path}.part"
        with open(partial, "w", encoding="utf-8") as file:
            json.dump(self.data, file, indent=1)
            file.write("\n")
        os.replace(partial, self.path)

    def end(self):
        self.data["ended"] = machine.facts()["date"]
        self.save()

    def add_storage(self, storage):
        known = {one["name"]: one for one in self.data["storages"]}
        known[storage.name] = storage.described()
        self.data["storages"] = list(known.values())

    def storage(self, name):
        return next(one for one in self.data["storages"] if one["name"] == name)

    def has(self, case):
        """Whether this very case was measured, and went well."""
        return any(one["key"] == case.key and one["definition"] == case.definition and not one["failure"]
                   for one in self.data["results"])

    def put(self, result):
        self.data["results"] = [one for one in self.data["results"] if one["key"] != result["key"]] + [result]
        self.save()

    def leave_out(self, what, why):
        entry = {"what": what, "why": why}
        if entry not in self.data["left_out"]:
            self.data["left_out"].append(entry)

    def results_of(self, experiment):
        return [one for one in self.data["results"] if one["experiment"] == experiment]

    def anything(self):
        return any(row.get("seconds") for one in self.data["results"] for row in one["rows"]) or bool(self.data["devices"])


def median_seconds(row):
    return statistics.median(row["seconds"]) if row.get("seconds") else None


def points_of(results):
    """One flat row for each measured median: the labels, storage, operation, series, seconds, MiB/s."""
    points = []
    for result in results:
        for row in result["rows"]:
            seconds = median_seconds(row)
            if seconds is None or seconds <= 0 or row.get("failure"):
                continue
            rates = [result["bytes"] / 2 ** 20 / one for one in row["seconds"] if one > 0]
            points.append({**result["labels"], "storage": result["storage"], "operation": row["operation"],
                           "series": row["series"], "taken": row.get("taken"), "predicted": row.get("predicted_seconds"),
                           "seconds": seconds, "rate": result["bytes"] / 2 ** 20 / seconds, "low": min(rates),
                           "high": max(rates)})
    return points


def select(points, **wanted):
    return [one for one in points if all(one.get(name) == value for name, value in wanted.items())]


def find(points, **wanted):
    """The one with these values, or None."""
    found = select(points, **wanted)
    return found[0] if len(found) == 1 else None


def values_of(points, name):
    """The different values of a label, in the order of their first appearance for words, by size for numbers."""
    values = list(dict.fromkeys(one[name] for one in points if name in one))
    return sorted(values) if all(isinstance(value, (int, float)) for value in values) else values
