"""Reads results files of Sonde (JSON lines, format 2) into tables.

    import sonde
    run = sonde.load("run.jsonl")           # also .jsonl.gz, "-" for standard input, or a list of files
    for point in run.points.where(probe="latency", path="global", api="cuda"):
        print(point["x"], point["median"], point["unit"])
    frame = run.points.to_pandas()          # where pandas is installed

A table is a list of dicts with the same keys. `run` (the number of a run, from 0) and `file` stand in each, so that
tables of several files can be joined; `results/schema.json` of Sonde describes the fields.
"""
from __future__ import annotations

import contextlib
import difflib
import functools
import gzip
import html
import importlib
import json
import os
import subprocess
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Union

__all__ = ["Error", "Results", "Table", "load"]
__version__ = "0.1.0"

FORMAT = 2
Row = dict[str, Any]
Source = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

_LARGEST = 1e18  # of any measured value, in any unit
_HEADER = b'{"type":"run",'
# What a line of each type has to have.
_FIELDS: dict[str, dict[str, type]] = {
    "run": {},
    "resume": {},
    "end": {},
    "device": dict.fromkeys(["id", "api", "card"], str),
    "series": {
        **dict.fromkeys(["probe", "device", "api", "card", "path", "status", "reason", "unit"], str),
        "options": dict,
        "x": dict,
        "points": list,
        "evidence": dict,
    },
    "finding": dict.fromkeys(["kind", "probe", "device", "path"], str),
}
_BOM = b"\xef\xbb\xbf"  # of a file that an editor saved
_NAMES = ["probe", "device", "api", "path"]  # columns whose values are names: one that no row has is a mistake
# Columns; the options of the series, a column each, stand between _IDENTITY and those of the table.
_IDENTITY = ["run", "file", "probe", "device", "api", "card", "path"]
_SERIES = ["status", "reason", "x_name", "x_unit", "unit", "points", "evidence"]
_POINT = [
    "status",
    "x_name",
    "x",
    "x_unit",
    "median",
    "low",
    "high",
    "spread",
    "unit",
    "cycles",
    "clock_mhz",
    "blocks",
    "pairs",
]
_SAMPLE = ["status", "x_name", "x", "x_unit", "pair", "block", "steps", "host_ns", "device_ns", "cycles"]
_FINDING = [
    "kind",
    "name",
    "level",
    "value",
    "unit",
    "cycles",
    "capacity_low",
    "capacity_high",
    "confidence",
    "groups",
    "title",
    "rows",
    "text",
    "from",
]


class Error(Exception):
    """What is wrong with which file, in one line."""


class Table(list[Row]):
    """Rows: dicts that have the same keys, `columns`. What a row does not have is None."""

    SHOWN = 20  # rows of a notebook's table

    def __init__(self, rows: Iterable[Row] = (), columns: Sequence[str] = ()) -> None:
        rows = list(rows)
        self.columns: list[str] = list(dict.fromkeys([*columns, *(name for row in rows for name in row)]))
        super().__init__({name: row.get(name) for name in self.columns} for row in rows)

    def where(self, **values: object) -> Table:
        """The rows with these values: points.where(probe="bandwidth", width=16). Error for a name of a probe, device,
        API or path that no row has, with the nearest that one has."""
        self._known(values)
        for name in _NAMES:
            if name in values and self:
                _check_name(name, values[name], (row[name] for row in self))
        return self._with(values)

    def _with(self, values: dict[str, object]) -> Table:
        return Table(
            (row for row in self if all(_same(row[name], value) for name, value in values.items())), self.columns
        )

    def column(self, name: str) -> list[Any]:
        """The values of a column, row by row."""
        self._known([name])
        return [row[name] for row in self]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the same columns."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise Error(
                f"to_pandas() needs pandas ({error}); install it, or use the table as it is, a list of dicts"
            ) from None
        return pandas.DataFrame(list(self), columns=self.columns)

    def __repr__(self) -> str:
        return f"<sonde.Table: {_counted(len(self), 'row')} of {', '.join(self._telling()) or 'no columns'}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the columns that tell something, and the first rows."""
        columns = self._telling()
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in columns) + "</tr>"
            for row in self[: self.SHOWN]
        )
        more = f", the first {self.SHOWN} are shown" if len(self) > self.SHOWN else ""
        hidden = len(self.columns) - len(columns)
        left_out = f"; {_counted(hidden, 'column')} without a value left out" if hidden else ""
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<p>{_counted(len(self), 'row')}{more}{left_out}</p>"
        )

    def _telling(self) -> list[str]:
        """Columns in which some row has a value; of a table without rows all."""
        return [name for name in self.columns if not self or any(row[name] not in (None, "") for row in self)]

    def _known(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self.columns:
                nearest = difflib.get_close_matches(name, self.columns, 3)
                told = f"nearest: {', '.join(nearest)}" if nearest else f"the columns are {', '.join(self.columns)}"
                raise Error(f"no column '{name}'; {told}")


class Results:
    """The runs of one or more results files, as tables."""

    def __init__(self) -> None:
        self.warnings: list[str] = []  # what was left out, a line each
        self._runs: list[Row] = []
        self._devices: list[Row] = []
        self._series: dict[tuple[object, ...], Row] = {}  # by what names a series
        self._findings: list[Row] = []

    @functools.cached_property
    def runs(self) -> Table:
        """One row per run: version, when, on what machine, which command. `finished` is None where it did not
        finish."""
        return Table(self._runs, ["run", "file", "sonde", "started", "finished"])

    @functools.cached_property
    def devices(self) -> Table:
        """One row per device of a run: a card seen through one API; `facts` is the list of the file."""
        return Table(self._devices, ["run", "file", "device", "api", "card", "name", "driver"])

    @functools.cached_property
    def series(self) -> Table:
        """One row per series: status and reason, how many points, and its evidence, a dict."""
        return self._table(self._series.values(), _SERIES, lambda series: [{"points": len(series["points"])}])

    @functools.cached_property
    def points(self) -> Table:
        """One row per point. `low` and `high` are quartiles, `spread` is half their distance as a share of the median,
        `pairs` of a short and a long sample lie behind it, in so many `blocks`, each with memory of its own."""
        return self._table(
            self._series.values(),
            _POINT,
            lambda series: [
                {
                    **{name: point.get(name) for name in ("x", "median", "low", "high", "cycles", "clock_mhz")},
                    "spread": _spread(point),
                    "blocks": len({str(sample.get("block")) for sample in point["samples"]}),
                    "pairs": len(point["samples"]) // 2,
                }
                for point in series["points"]
            ],
        )

    @functools.cached_property
    def samples(self) -> Table:
        """One row per timed dispatch. The two samples of a `pair`, counted from 0 within the point, are a short and a
        long one, of which the slope is a measured value."""
        return self._table(
            self._series.values(),
            _SAMPLE,
            lambda series: [
                {
                    "x": point["x"],
                    "pair": number // 2,
                    **{name: sample.get(name) for name in ("block", "steps", "host_ns", "device_ns", "cycles")},
                }
                for point in series["points"]
                for number, sample in enumerate(point["samples"])
            ],
        )

    @functools.cached_property
    def findings(self) -> Table:
        """One row per conclusion that the run wrote into its file, levels among them; `value` and `unit`, `rows`
        (all of its numbers, dicts of `place`, `value`, `unit`, ...) and `text` say it; where rows say all there
        is no text. A capacity lies between `capacity_low` (the last footprint inside) and `capacity_high` (the
        first outside; None: the curve ends inside), in bytes.
        """
        return self._table(self._findings, _FINDING, _capacity)

    @property
    def levels(self) -> Table:
        """The findings that are levels of the memory hierarchy: latency `value` and `cycles`, and capacity."""
        return self.findings._with({"kind": "level"})

    def diagnose(self, binary: str = "sonde") -> Table:
        """What `sonde diagnose --json` says of each file: its levels with `level` as their name on the card ("L2
        near"), then statements on its APIs and paths, with a `title`. `binary` is the program, by name or path."""
        found: list[Row] = []
        files = [row["file"] for row in self._runs]
        for number, file in enumerate(files):
            if file == "-" or files.count(file) > 1:
                why = (
                    "standard input cannot be read again"
                    if file == "-"
                    else f"{file} holds several runs, or was loaded twice"
                )
                raise Error(f"diagnose() reads each file again, one run from each: {why}")
            found += [{"run": number, "file": file, **line} for line in _diagnosis(binary, file)]
        return self._table(found, _FINDING, _capacity)

    def __repr__(self) -> str:
        return (
            f"<sonde.Results: runs {len(self._runs)}, devices {len(self._devices)}, series {len(self._series)}, "
            f"points {len(self.points)}, "
            f"findings {len(self._findings)}, warnings {len(self.warnings)}>"
        )

    def _table(self, records: Iterable[Row], columns: list[str], rows_of: Callable[[Row], list[Row]]) -> Table:
        """A table of the rows of each record, each with the record's fields and options. An option named like another
        column is `option_NAME`."""
        rows: list[Row] = []
        names: dict[str, str] = {}
        for record in records:
            options = record.get("options", {})
            names.update(
                {option: f"option_{option}" if option in _IDENTITY + columns else option for option in options}
            )
            common = {
                **{name: record.get(name) for name in _IDENTITY + columns},
                **{names[option]: value for option, value in options.items()},
            }
            rows += [{**common, **row} for row in rows_of(record)]
        return Table(rows, [*_IDENTITY, *names.values(), *columns])

    def _read(self, path: str) -> None:
        name = "standard input" if path == "-" else path
        number, first, left_out = 0, len(self._runs), []
        try:
            for number, text in _lines(path):
                try:
                    record = _parsed(text)
                    if record.get("type") == "run" and record.get("format") != FORMAT:
                        raise Error(
                            f"{name}: results format {json.dumps(record.get('format'))} is not format {FORMAT}, which "
                            "this module reads"
                        )
                    self._take(path, record, len(self._runs) > first)
                except ValueError as error:
                    if len(self._runs) == first:
                        raise Error(
                            f"{name}: not a results file of sonde (its first line is no run header); give a file that "
                            "'sonde run' wrote"
                        ) from None
                    left_out.append(f"{name}: line {number} left out: {error}")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            left_out.append(f"{name}: {_damage(error)} behind line {number}; what is before it is read")
            if len(self._runs) == first:
                raise Error(f"{name}: {_damage(error)} before its first line is whole; copy the file anew") from None
        except IsADirectoryError:
            raise Error(f"{name} is a folder; give a results file (*.jsonl), or a list of them") from None
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            raise Error(f"{name}: cannot read: {getattr(error, 'strerror', None) or error}") from None
        if len(self._runs) == first:
            raise Error(f"{name}: empty: its run was stopped before its first line")
        self.warnings += left_out

    def _take(self, path: str, record: Row, in_run: bool) -> None:
        """One line of a file. ValueError where it is left out."""
        kind = _checked(record).pop("type")
        if kind == "run":
            self._runs.append({**record, "run": len(self._runs), "file": path, "finished": None})
            return
        if not in_run:
            raise ValueError("no run header before it")
        record.update(run=len(self._runs) - 1, file=path)
        if kind == "device":
            self._devices.append({"device": record.pop("id"), **record})
        elif kind == "series":
            key = (
                record["run"],
                *(record[name] for name in _IDENTITY[2:]),
                json.dumps(record["options"], sort_keys=True),
            )
            earlier = self._series.pop(key, None)
            if earlier and not _gives_way(earlier):
                self._series[key] = earlier
                raise ValueError(f"{record['probe']} {record['device']} {record['path']} is there already")
            if earlier:
                self._findings = [
                    finding
                    for finding in self._findings
                    if any(finding.get(name) != record.get(name) for name in ["run", *_IDENTITY[2:], "options"])
                ]
            measured = [point for point in record["points"] if _is_measured(point)]
            self._series[key] = {
                **record,
                "points": measured,
                "x_name": record["x"].get("name"),
                "x_unit": record["x"].get("unit"),
            }
            nonsense = len(record["points"]) - len(measured)
            if nonsense:
                raise ValueError(
                    f"{nonsense} of the points of {record['probe']} {record['device']} {record['path']}, which "
                    "nothing measured can be"
                )
        elif kind == "finding":
            self._findings.append(record)
        else:  # the end of a run, or that it went on after all
            self._runs[-1]["finished"] = record.get("finished") if kind == "end" else None


def _same(value: object, asked: object) -> bool:
    return value == asked or str(value) == str(asked)


def _check_name(column: str, name: object, known: Iterable[Any]) -> None:
    names = sorted({str(each) for each in known})
    if str(name) not in names:
        nearest = difflib.get_close_matches(str(name), names, 3) or [each for each in names if str(name) in each][:3]
        told = f"nearest: {', '.join(nearest)}" if nearest else f"it has {', '.join(names)}"
        raise Error(f"no row of {column} '{name}'; {told}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _cell(value: Any) -> str:
    """A value in a notebook's table: what is long is cut, since the row itself has all of it."""
    longest = 60
    text = "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _gives_way(record: Row) -> bool:
    """Whether a later line of the same name counts instead: what failed, or what the time cut short, is measured
    again."""
    refined = record["evidence"].get("refinement") if isinstance(record.get("evidence"), dict) else None
    ending = record.get("ending")
    cut = (
        ending.get("by") == "time"
        if isinstance(ending, dict)
        else "the time budget was over" in str(record.get("reason", ""))  # until such lines had an ending
    ) or (isinstance(refined, dict) and refined.get("ended_by") == "the time budget")
    return record["status"] == "failed" or (record["status"] == "ok" and cut)


def load(source: Union[Source, Iterable[Source]]) -> Results:
    """Reads a results file, "-" for standard input, or several. A line that is damaged is left out with a warning;
    Error where a file is none of format 2."""
    results = Results()
    for each in [source] if isinstance(source, (str, bytes, os.PathLike)) else source:
        results._read(os.fsdecode(each))
    if not results._runs:
        raise Error("no results file given: the list of files is empty")
    if results.warnings:
        more = len(results.warnings) - 1
        warnings.warn(results.warnings[0] + (f" (and {more} more: see .warnings)" if more else ""), stacklevel=2)
    return results


def _damage(error: Exception) -> str:
    text = str(error)
    if isinstance(error, EOFError):
        return "packed data ends early"
    if "check failed" in text or "length of data" in text:
        return "packed data fails its check sum"
    return (
        "what follows the packed data is not packed"
        if isinstance(error, gzip.BadGzipFile) and "Not a gzipped" in text
        else "packed data is damaged"
    )


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a file, numbered. A run header behind a torn line, as in files joined behind one that was cut, is a
    line of its own."""
    with contextlib.ExitStack() as opened:
        file: Any = sys.stdin.buffer if path == "-" else opened.enter_context(open(path, "rb"))
        for number, line in enumerate(gzip.GzipFile(fileobj=file) if file.peek(2)[:2] == b"\x1f\x8b" else file, 1):
            line = line[len(_BOM) :] if number == 1 and line.startswith(_BOM) else line
            header = line.rfind(_HEADER)
            if header > 0:
                yield number, line[:header]
            if number == 1 or line.strip():
                yield number, line[max(header, 0) :]


def _parsed(text: bytes) -> Row:
    try:
        return dict(json.loads(text, parse_constant=int).items())  # int refuses NaN, which is no JSON
    except (ValueError, AttributeError, RecursionError):
        raise ValueError("not a JSON object" if text.endswith(b"\n") else "truncated") from None


def _checked(record: Row) -> Row:
    kind = record.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise ValueError(f"unknown type {json.dumps(kind)[:40]}")
    for name, type_of in _FIELDS[kind].items():
        if not isinstance(record.get(name), type_of):
            raise ValueError(f"a {kind} line without '{name}'")
    if not isinstance(record.get("options", {}), dict):
        raise ValueError(f"a {kind} line whose options are none")
    return record


def _is_measured(point: Any) -> bool:
    if (
        not isinstance(point, dict)
        or not isinstance(point.get("samples"), list)
        or not all(isinstance(sample, dict) for sample in point["samples"])
    ):
        return False
    x, *values = (point.get(name) for name in ("x", "low", "median", "high"))
    if not isinstance(x, (int, float)) or not abs(x) < _LARGEST:
        return False
    if not all(value is None or (isinstance(value, (int, float)) and 0 < value < _LARGEST) for value in values):
        return False
    low, median, high = values
    return (low is None or median is None or low <= median) and (high is None or median is None or median <= high)


def _spread(point: Row) -> Union[float, None]:
    low, median, high = (point.get(name) for name in ("low", "median", "high"))
    return None if low is None or median is None or high is None else float((high - low) / 2 / median)


def _capacity(finding: Row) -> list[Row]:
    capacity = finding.get("capacity_bytes")
    low, high = capacity if isinstance(capacity, list) and len(capacity) == 2 else (None, None)
    return [{"capacity_low": low, "capacity_high": high}]


def _diagnosis(binary: str, file: str) -> list[Row]:
    try:
        done = subprocess.run(
            [binary, "diagnose", os.path.abspath(file), "--json"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise Error(
            f"cannot run '{binary}' ({error.strerror}); diagnose(binary=...) takes the path of the program sonde"
        ) from None
    try:
        if done.returncode:
            raise ValueError(
                done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
            )
        # Its tables are for those who read that output itself.
        return [_checked(line) for line in json.loads(done.stdout) if line.get("type") != "table"]
    except (ValueError, TypeError, AttributeError) as error:
        raise Error(f"'{binary} diagnose {file} --json' failed: {error}") from None
