"""The reader on recorded runs and on small made-up files: python3 -m unittest discover python/tests

SONDE_PROGRAM=build/release/sonde compares it with what that program reads of the same files, too.
"""
import ast
import contextlib
import csv
import datetime
import gzip
import importlib.util
import io
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import sonde  # noqa: E402

RECORDED = sorted((ROOT / "results").glob("*/*.jsonl.gz"))
H200 = ROOT / "results/nvidia-h200"
SMALL = ROOT / "tests/recorded/run-1.jsonl.gz"  # latency and bandwidth through three APIs, in blocks
PROGRAM = os.environ.get("SONDE_PROGRAM") or shutil.which("sonde")


def has(module):
    return importlib.util.find_spec(module) is not None


def header(**more):
    return {
        "type": "run",
        "format": 2,
        "sonde": "0.1.0",
        "started": "2026-01-02T03:04:05Z",
        "host": {},
        "command": ["sonde", "run"],
        "profile": "quick",
        "absent": [],
        **more,
    }


def device(**more):
    return {
        "type": "device",
        "id": "cuda:0",
        "api": "cuda",
        "card": "c",
        "name": "Card",
        "driver": "1",
        "software": False,
        "memory_bytes": 1,
        "facts": [],
        **more,
    }


def point(x, median, **more):
    samples = [
        {"block": i // 4, "steps": 10.0 + i % 2 * 90, "host_ns": 5.0, "device_ns": None, "cycles": 7.0}
        for i in range(8)
    ]
    return {
        "x": x,
        "median": median,
        "low": median,
        "high": median,
        "cycles": None,
        "clock_mhz": None,
        "samples": samples,
        **more,
    }


def series(points=(), **more):
    return {
        "type": "series",
        "probe": "latency",
        "device": "cuda:0",
        "api": "cuda",
        "card": "c",
        "path": "global",
        "options": {},
        "status": "ok",
        "reason": "",
        "x": {"name": "footprint", "unit": "bytes"},
        "unit": "ns",
        "points": list(points),
        "evidence": {},
        **more,
    }


def finding(**more):
    return {
        "type": "finding",
        "kind": "level",
        "probe": "latency",
        "device": "cuda:0",
        "api": "cuda",
        "card": "c",
        "path": "global",
        "options": {},
        "name": "L1",
        "value": 20.0,
        "unit": "ns",
        "cycles": 40.0,
        "capacity_bytes": [1024.0, None],
        "confidence": 1.0,
        "text": "L1 takes 20 ns",
        "from": [],
        **more,
    }


END = {
    "type": "end",
    "finished": "2026-01-02T03:05:00Z",
    "series": {"ok": 1, "unsupported": 0, "failed": 0, "unstable": 0},
}
WHOLE = [header(), device(), series([point(512.0, 20.0), point(1024.0, 21.0)]), finding(), END]


def text_of(lines):
    return b"".join(
        (line if isinstance(line, bytes) else json.dumps(line, separators=(",", ":")).encode()) + b"\n"
        for line in lines
    )


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="run.jsonl"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else text_of(content))
        return path

    def load(self, content):
        """Of a file with this content the results, whose warnings are not shown."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sonde.load(self.file(content))

    def refused(self, content, message):
        path = self.file(content)
        with self.assertRaises(sonde.Error) as caught:
            self.load(content)
        self.assertEqual(str(caught.exception), f"{path}: {message}")


class Recorded(Case):
    def test_every_file_is_read_whole(self):
        self.assertGreater(len(RECORDED), 8)
        every = 1 if os.environ.get("SONDE_TEST_THOROUGH") else 4
        for path in RECORDED[datetime.date.today().toordinal() % every :: every]:
            with self.subTest(path.name), warnings.catch_warnings():
                warnings.simplefilter("error")
                lines = [json.loads(line) for line in gzip.open(path)]
                run = sonde.load(path)
                of = {
                    kind: [line for line in lines if line["type"] == kind]
                    for kind in ("run", "device", "series", "finding")
                }
                self.assertEqual(
                    [len(run.runs), len(run.devices), len(run.series), len(run.findings)],
                    [len(each) for each in of.values()],
                )
                self.assertEqual(
                    [row["median"] for row in run.points],
                    [point["median"] for line in of["series"] for point in line["points"]],
                )
                self.assertEqual(len(run.points), sum(run.series.column("points")))
                self.assertIsNotNone(run.runs[0]["finished"])

    def test_a_level(self):
        level = sonde.load(SMALL).levels.where(probe="latency", api="cuda", path="global", name="L1")[0]
        of = ("finding", "latency", "cuda", "global", "L1")
        line = next(
            line
            for line in map(json.loads, gzip.open(SMALL))
            if tuple(line.get(field) for field in ("type", "probe", "api", "path", "name")) == of
        )
        self.assertEqual(
            (level["unit"], level["cycles"], [level["capacity_low"], level["capacity_high"]]),
            (line["unit"], line["cycles"], line["capacity_bytes"]),
        )

    def test_options_are_columns(self):
        points = sonde.load(SMALL).points
        self.assertEqual(
            points.columns,
            [
                "run",
                "file",
                "probe",
                "device",
                "api",
                "card",
                "path",
                "width",
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
            ],
        )
        self.assertTrue(points.where(api="vulkan", path="global", width=16))
        self.assertEqual(points.where(width=16), points.where(width="16"))

    def test_samples_give_the_median(self):
        run = sonde.load(SMALL)
        one = run.points.where(probe="latency", api="cuda", path="global")[0]
        samples = run.samples.where(probe="latency", api="cuda", path="global", x=one["x"])
        slopes = sorted(
            (b["device_ns"] - a["device_ns"]) / (b["steps"] - a["steps"]) for a, b in zip(samples[::2], samples[1::2])
        )
        self.assertEqual((len(slopes), len({row["block"] for row in samples})), (one["pairs"], one["blocks"]))
        # times of older files were rounded to nanoseconds
        self.assertAlmostEqual(slopes[len(slopes) // 2], one["median"], delta=1e-6 * one["median"])

    @unittest.skipUnless(PROGRAM, "no sonde here: SONDE_PROGRAM names none, nor is it on PATH")
    def test_points_are_those_of_the_program(self):
        for name in ("quick-1", "sustained"):
            rows = csv.DictReader(
                io.StringIO(subprocess.check_output([PROGRAM, "show", "--csv", H200 / f"{name}.jsonl.gz"], text=True))
            )
            points = sonde.load(H200 / f"{name}.jsonl.gz").points
            for row, point in zip(rows, points):
                row.pop("options"), row.pop("cores")  # of pairs, whose numbers the program makes of x
                for column, value in row.items():
                    if isinstance(point[column], (int, float)):
                        self.assertAlmostEqual(float(value), point[column], delta=1e-9 * abs(point[column]))
                    else:
                        self.assertEqual(value, point[column] or "")
            self.assertIsNone(next(rows, None))

    @unittest.skipUnless(PROGRAM, "no sonde here: SONDE_PROGRAM names none, nor is it on PATH")
    def test_what_the_program_diagnoses(self):
        found = sonde.load([SMALL, H200 / "quick-1.jsonl.gz"]).diagnose(PROGRAM)
        for run in (0, 1):
            self.assertEqual(
                {"L1", "L2 near", "L2 far", "DRAM"}
                - set(found.where(run=run, kind="level", path="global", api="cuda").column("level")),
                set(),
            )
        self.assertTrue([row["title"] for row in found if row["kind"] != "level" and row["title"]])


class Whole(Case):
    def test_tables(self):
        run = self.load(WHOLE)
        self.assertEqual(run.warnings, [])
        self.assertEqual(run.runs[0]["finished"], END["finished"])
        self.assertEqual(
            (run.devices[0]["device"], run.devices[0]["name"], run.devices[0]["run"]), ("cuda:0", "Card", 0)
        )
        self.assertEqual(
            (run.series[0]["points"], run.series[0]["x_name"], run.series[0]["evidence"]), (2, "footprint", {})
        )
        first = run.points[0]
        self.assertEqual(
            (first["x"], first["median"], first["unit"], first["blocks"], first["pairs"], first["spread"]),
            (512.0, 20.0, "ns", 2, 4, 0),
        )
        self.assertEqual([row["pair"] for row in run.samples[:8]], [0, 0, 1, 1, 2, 2, 3, 3])
        self.assertEqual(
            (run.levels[0]["name"], run.levels[0]["capacity_low"], run.levels[0]["capacity_high"]), ("L1", 1024.0, None)
        )
        self.assertEqual(repr(run), "<sonde.Results: runs 1, devices 1, series 1, points 2, findings 1, warnings 0>")

    def test_sources(self):
        # known by its first bytes, not by its name
        plain, packed = self.file(WHOLE), self.file(gzip.compress(text_of(WHOLE)), "packed")
        for source in (plain, str(plain), packed, [plain], iter([packed])):
            self.assertEqual(len(sonde.load(source).points), 2)
        both = sonde.load([plain, packed])
        self.assertEqual(both.points.column("run"), [0, 0, 1, 1])
        self.assertEqual(both.points.column("file"), [str(plain)] * 2 + [str(packed)] * 2)

    def test_standard_input(self):
        for content in (text_of(WHOLE), gzip.compress(text_of(WHOLE))):
            program = (
                f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import sonde; "
                "print(len(sonde.load('-').points))"
            )
            self.assertEqual(
                subprocess.run(
                    [sys.executable, "-c", program], input=content, capture_output=True, check=True
                ).stdout.split(),
                [b"2"],
            )

    def test_joined_files_are_runs(self):
        for content in (text_of(WHOLE) * 2, gzip.compress(text_of(WHOLE)) * 2):
            run = self.load(content)
            self.assertEqual((run.warnings, len(run.runs), run.points.column("run")), ([], 2, [0, 0, 1, 1]))

    def test_tables_without_rows_have_their_columns(self):
        run = self.load([header()])
        for table in (run.devices, run.series, run.points, run.samples, run.findings, run.levels):
            self.assertEqual((len(table), table.columns[0]), (0, "run"))
        self.assertEqual(run.points.where(api="cuda"), [])
        self.assertIsNone(run.runs[0]["finished"])

    def test_an_option_named_like_a_column(self):
        run = self.load(
            [
                header(),
                series([point(1.0, 2.0)], options={"level": "LLC", "median": "x"}),
                series([point(1.0, 3.0)], options={"width": "4"}),
                finding(options={"level": "LLC"}),
            ]
        )
        self.assertEqual(
            [(row["level"], row["option_median"], row["width"], row["median"]) for row in run.points],
            [("LLC", "x", None, 2.0), (None, None, "4", 3.0)],
        )
        self.assertEqual((run.findings[0]["option_level"], run.findings[0]["level"]), ("LLC", None))

    def test_unknown_fields_are_no_fault(self):
        run = self.load(
            [
                {**line, "later": {"deep": [1]}}
                for line in (header(), device(), series([point(1.0, 2.0, later=3)]), finding(), END)
            ]
        )
        self.assertEqual((run.warnings, len(run.points), run.devices[0]["later"]), ([], 1, {"deep": [1]}))

    def test_columns(self):
        points = self.load(WHOLE).points
        self.assertEqual(points.where(x=512).column("median"), [20.0])
        self.assertEqual(points.where(cycles=None).column("x"), [512.0, 1024.0])
        for ask in (lambda: points.column("colour"), lambda: points.where(colour=1)):
            with self.assertRaisesRegex(sonde.Error, "^no column 'colour'; the columns are run, file, .*, pairs$"):
                ask()

    def test_a_name_that_no_row_has(self):
        points = self.load(WHOLE).points
        for values, nearest in (
            ({"probe": "latencyy"}, "latency"),
            ({"path": "globl"}, "global"),
            ({"api": "cudaa"}, "cuda"),
        ):
            with self.assertRaisesRegex(
                sonde.Error, f"^no row of {[*values][0]} '{[*values.values()][0]}'; nearest: {nearest}"
            ):
                points.where(**values)
        with self.assertRaisesRegex(sonde.Error, "^no column 'medain'; nearest: median"):
            points.column("medain")
        self.assertEqual(points.where(probe="latency", x=1), [])  # a number is no name

    def test_a_notebook_shows_a_table(self):
        points = self.load([header(), series([point(1.0, 2.0)], path="<b>&")]).points
        html = points._repr_html_()
        self.assertEqual(html.count("<tr>"), 2)
        self.assertIn("<td>&lt;b&gt;&amp;</td>", html)
        self.assertNotIn("<th>clock_mhz</th>", html)  # no row has one
        self.assertIn("<th>median</th>", html)
        many = sonde.Table([{"x": number} for number in range(100)])
        self.assertEqual(many._repr_html_().count("<tr>"), 1 + sonde.Table.SHOWN)
        self.assertIn("100 rows", many._repr_html_())
        self.assertIn("100 rows of x", repr(many))

    def test_a_byte_order_mark(self):
        path = pathlib.Path(self.file(WHOLE))
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        self.assertEqual(len(sonde.load(path).points), len(self.load(WHOLE).points))


class Damaged(Case):
    def test_cut_anywhere(self):
        content = text_of(WHOLE)
        first, with_series = content.index(b"\n"), content.index(b'{"type":"finding"')
        for end in range(len(content)):
            if end < first:
                self.refused(
                    content[:end],
                    "not a results file of sonde (its first line is no run header); give a file that 'sonde run' wrote"
                    if end
                    else "empty: its run was stopped before its first line",
                )
                continue
            run = self.load(content[:end])
            self.assertEqual(len(run.points), 2 if end >= with_series - 1 else 0)
            torn = content[:end].split(b"\n")[-1] not in content.split(b"\n")
            self.assertEqual(
                [re.sub("^.*: line [2-5] ", "", text) for text in run.warnings], ["left out: truncated"] * torn
            )

    def test_a_run_behind_one_that_was_cut(self):
        content = text_of(WHOLE)
        run = self.load(content[: content.index(b'"points"')] + content)
        self.assertEqual((len(run.runs), run.points.column("run"), len(run.warnings)), (2, [1, 1], 1))

    def test_a_packed_file_that_was_cut(self):
        noise = random.Random(1)
        packed = gzip.compress(
            text_of([header(), *(series([point(1.0, noise.random())], path=f"p{i}") for i in range(200))])
        )
        run = self.load(packed[: len(packed) // 2])
        self.assertGreater(len(run.points), 50)
        self.assertRegex(run.warnings[-1], r": packed data ends early behind line \d+; what is before it is read$")
        self.refused(packed[:5], "packed data ends early before its first line is whole; copy the file anew")
        self.refused(
            b"\x1f\x8bhello, world", "packed data is damaged before its first line is whole; copy the file anew"
        )

    def test_a_packed_file_that_is_damaged(self):
        header_alone, rest = gzip.compress(text_of(WHOLE[:1])), gzip.compress(text_of(WHOLE[1:]))

        def flipped(packed, behind):
            return packed[:-behind] + bytes([packed[-behind] ^ 0x55]) + packed[len(packed) - behind + 1 :]

        for packed, damage, points in (
            (header_alone + rest, None, 2),
            (header_alone + rest + bytes(512), None, 2),
            (header_alone + rest[:-3], "packed data ends early behind line 5", 2),
            (header_alone + flipped(rest, 6), "packed data fails its check sum behind line 5", 2),
            (header_alone + flipped(rest, 2), "packed data fails its check sum behind line 5", 2),
            (flipped(header_alone, 6) + rest, "packed data fails its check sum behind line 1", 0),
            (header_alone + rest + b"garbage", "what follows the packed data is not packed behind line 5", 2),
        ):
            run = self.load(packed)
            self.assertEqual(len(run.points), points)
            self.assertEqual(
                run.warnings, [f"{self.folder / 'run.jsonl'}: {damage}; what is before it is read"] if damage else []
            )

    def test_formats(self):
        self.refused([header(format=1), device()], "results format 1 is not format 2, which this module reads")
        self.refused([{"type": "run"}], "results format null is not format 2, which this module reads")
        self.refused([*WHOLE, header(format=3)], "results format 3 is not format 2, which this module reads")

    def test_no_results_file(self):
        for content in (b"{}", b"[]\n", b"hello\n", b"\xff\xfe\x00", b"\n\n", text_of([device()]), b"[" * 100000):
            self.refused(
                content,
                "not a results file of sonde (its first line is no run header); give a file that 'sonde run' wrote",
            )
        for path, why in (
            (self.folder / "none", ": cannot read: No such file or directory"),
            (self.folder, " is a folder; give a results file (*.jsonl), or a list of them"),
            ("a\0b", ": cannot read: embedded null byte"),
        ):
            for source in (path, [path]):
                with self.assertRaises(sonde.Error) as caught:
                    sonde.load(source)
                self.assertEqual(str(caught.exception), f"{path}{why}")
        self.assertEqual(len(sonde.load(os.fsencode(self.file(WHOLE))).points), 2)
        with self.assertRaisesRegex(sonde.Error, "^no results file given"):
            sonde.load([])

    def test_lines_of_another_kind(self):
        for line, why in (
            (b"hello", "not a JSON object"),
            (b"[1]", "not a JSON object"),
            (b'{"type":"end","x":NaN}', "not a JSON object"),
            (b"[" * 100000, "not a JSON object"),
            (b'{"a":"\xff"}', "not a JSON object"),
            ({"type": "note"}, "unknown type \"note\""),
            ({"type": []}, "unknown type []"),
            ({"type": "device"}, "a device line without 'id'"),
            (series(status=3), "a series line without 'status'"),
            (finding(options=3), "a finding line whose options are none"),
        ):
            run = self.load([header(), line, *WHOLE[1:]])
            self.assertEqual(
                (len(run.points), run.warnings), (2, [f"{self.folder / 'run.jsonl'}: line 2 left out: {why}"])
            )

    def test_one_warning_is_shown(self):
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            run = sonde.load(self.file([header(), *[b"x"] * 50]))
        self.assertEqual((len(run.warnings), len(shown), shown[0].filename), (50, 1, __file__))
        self.assertRegex(str(shown[0].message), r"line 2 left out: not a JSON object \(and 49 more: see .warnings\)$")

    def test_a_resumed_run(self):
        run = self.load(
            [
                header(),
                series(status="failed", reason="lost"),
                END,
                {"type": "resume", "resumed": "2026-01-02T03:06:00Z", "command": []},
                series([point(1.0, 2.0)]),
                series([point(1.0, 9.0)]),
            ]
        )
        self.assertEqual(
            (run.series.column("status"), run.points.column("median"), run.runs[0]["finished"]), (["ok"], [2.0], None)
        )
        self.assertRegex(run.warnings[0], "line 6 left out: latency cuda:0 global is there already$")

    def test_a_series_cut_short_gives_way_with_its_findings(self):
        found = {
            "type": "finding",
            "kind": "level",
            "api": "cuda",
            "card": "c",
            "probe": "latency",
            "device": "cuda:0",
            "path": "global",
            "options": {},
            "text": "t",
            "name": "L1",
        }
        cut, whole = series([point(1.0, 2.0)], reason="ends before 2 KiB: the time budget was over"), series(
            [point(1.0, 3.0)]
        )
        found.update({name: cut[name] for name in ("api", "card", "probe", "device", "path", "options")})
        run = self.load(
            [
                header(),
                cut,
                {**found, "name": "old"},
                {**found, "name": "other", "path": "push"},
                whole,
                {**found, "name": "new"},
            ]
        )
        self.assertEqual(
            (run.points.column("median"), sorted(run.findings.column("name")), run.warnings),
            ([3.0], ["new", "other"], []),
        )

    def test_a_finding_may_have_rows_and_no_text(self):
        rows = [{"place": "one workgroup", "value": 3.0, "unit": "ns"}]
        found = finding(kind="launch", rows=rows)
        del found["text"]
        run = self.load([header(), series([point(1.0, 3.0)]), found])
        self.assertEqual((run.findings[0]["rows"], run.findings[0]["text"], run.warnings), (rows, None, []))

    def test_what_nothing_measured_can_be(self):
        nonsense = [
            point(1.0, -1),
            point(2.0, 1e30),
            point("x", 1.0),
            {"x": 3.0, "median": 1.0, "samples": [1]},
            point(4.0, "a"),
            7,
            point(5.0, 1.0) | {"low": 2.0, "high": 0.5},
            point(6.0, 1.0) | {"low": 1.5},
        ]
        run = self.load([header(), series([point(0.5, 1.0), *nonsense, point(9.0, None)])])
        self.assertEqual(run.points.column("x"), [0.5, 9.0])
        self.assertRegex(
            run.warnings[0], "line 2 left out: 8 of the points of latency cuda:0 global, which nothing measured can be$"
        )

    def test_whatever_is_wrong_is_an_error_of_its_own(self):
        chance, content = random.Random(2), text_of(WHOLE)
        for _ in range(400):
            broken = bytearray(content)
            for _ in range(chance.randint(1, 6)):
                at = chance.randrange(len(broken))
                broken[at : at + chance.randint(0, 3)] = chance.choice(
                    [b"", b"0", b"null", b"{", b"]", b'"', b"\n", b"\xff", b"[[]]", b"-1e999"]
                )
            with contextlib.suppress(sonde.Error):
                run = self.load(bytes(broken))
                for table in (run.runs, run.devices, run.series, run.points, run.samples, run.findings, run.levels):
                    self.assertTrue(all(list(row) == table.columns for row in table))


class Diagnosis(Case):
    def program(self, script):
        path = self.file(f"#!/bin/sh\n{script}\n".encode(), "program")
        path.chmod(0o755)
        return str(path)

    def failure(self, run, binary):
        with self.assertRaises(sonde.Error) as caught:
            run.diagnose(binary)
        self.assertNotIn("\n", str(caught.exception))
        return str(caught.exception)

    def test_lines_of_the_program(self):
        answer = json.dumps(
            [finding(level="L2 near"), finding(kind="path", title="T", value=None, capacity_bytes=None)]
        )
        run = self.load(WHOLE)
        found = run.diagnose(self.program(f"[ \"$1 $3\" = 'diagnose --json' ] && cat <<'X'\n{answer}\nX"))
        self.assertEqual(
            [(row["level"], row["title"], row["capacity_low"], row["run"]) for row in found],
            [("L2 near", None, 1024.0, 0), (None, "T", None, 0)],
        )

    @unittest.skipIf(os.name == "nt", "a shell script stands for the program")
    def test_failures(self):
        run = self.load(WHOLE)
        self.assertRegex(
            self.failure(run, "no-such-sonde"),
            "^cannot run 'no-such-sonde' \\(No such file or directory\\); diagnose\\(binary=...\\) takes the path",
        )
        self.assertRegex(
            self.failure(run, self.program("echo one >&2; echo sonde: no >&2; exit 1")), "failed: sonde: no$"
        )
        self.assertRegex(self.failure(run, self.program("exit 3")), "failed: exit code 3$")
        for answer in ("echo no", "echo '[1]'", "echo '[{}]'", "echo 7"):
            self.assertRegex(self.failure(run, self.program(answer)), "failed: ")
        self.assertRegex(
            self.failure(self.load(text_of(WHOLE) * 2), "sonde"), "holds several runs, or was loaded twice$"
        )


class Pandas(Case):
    def test_without_it(self):
        with mock.patch.dict(sys.modules, {"pandas": None}), self.assertRaisesRegex(
            sonde.Error, r"^to_pandas\(\) needs pandas \(.*\); install it, or use the table as it is"
        ):
            self.load(WHOLE).points.to_pandas()

    @unittest.skipUnless(has("pandas"), "no pandas here")
    def test_frames(self):
        run = sonde.load(H200 / "quick-1.jsonl.gz")
        for table in (run.runs, run.devices, run.series, run.points, run.samples, run.findings, run.levels):
            frame = table.to_pandas()
            self.assertEqual((len(frame), list(frame.columns)), (len(table), table.columns))
        frame = run.points.to_pandas()
        for column in ("x", "median", "low", "high", "spread", "cycles", "clock_mhz"):
            self.assertEqual(str(frame[column].dtype), "float64")
        self.assertEqual(
            len(frame[(frame.probe == "bandwidth") & (frame.width == "16")]),
            len(run.points.where(probe="bandwidth", width=16)),
        )
        self.assertEqual(list(self.load([header()]).points.to_pandas().columns)[:2], ["run", "file"])


class Package(Case):
    def test_version_and_format_are_the_program_s(self):
        self.assertEqual(
            sonde.__version__, re.search(r"project\(sonde VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        )
        schema = json.loads((ROOT / "results/schema.json").read_text())["definitions"]
        self.assertEqual([sonde.FORMAT], schema["run"]["properties"]["format"]["enum"])
        for kind, fields in sonde._FIELDS.items():
            self.assertEqual(set(fields) - set(schema[kind]["required"]), set())

    def test_it_is_of_python_3_9(self):
        for path in (ROOT / "python/sonde/__init__.py", ROOT / "python/tests/test_sonde.py"):
            ast.parse(path.read_text(), feature_version=(3, 9))
        self.assertTrue((ROOT / "python/sonde/py.typed").exists())

    @unittest.skipUnless(has("pip"), "pip is not here")
    def test_the_wheel_needs_no_network(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        made = [
            subprocess.run([ROOT / "scripts/python-wheel", folder], capture_output=True, text=True, check=True).stdout
            for _ in range(2)
        ]
        self.assertEqual(made[0], made[1])
        there = os.path.join(folder, "there")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--target", there, made[0].strip()]
        subprocess.run(pip, check=True, capture_output=True)
        program = f"import sonde; print(len(sonde.load({str(SMALL)!r}).points))"
        alone = {**os.environ, "PYTHONPATH": there}
        installed = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder, env=alone
        )
        self.assertEqual(int(installed.stdout), len(sonde.load(SMALL).points))

    def test_notebooks(self):
        notebooks = list((ROOT / "python/examples").glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
            self.assertTrue(all(cell["outputs"] == [] for cell in cells))
            codes = [compile("".join(cell["source"]), f"{path.name}, cell {cell['id']}", "exec") for cell in cells]
            if not has("matplotlib"):
                self.skipTest("no matplotlib here: the cells were compiled, not run")
            import matplotlib

            matplotlib.use("Agg")
            names = {}
            folder = os.getcwd()
            os.chdir(path.parent)
            self.addCleanup(os.chdir, folder)
            for code in codes:
                exec(code, names)
            drawn = {name: value for name, value in names.items() if isinstance(value, matplotlib.figure.Figure)}
            self.assertEqual(set(drawn), {"latency", "cores"})
            for name, figure in drawn.items():
                figure.savefig(self.folder / f"{name}.png")
                self.assertGreater((self.folder / f"{name}.png").stat().st_size, 10000)
            self.assertEqual(len(drawn["latency"].axes[0].get_legend().get_texts()), 3)


if __name__ == "__main__":
    unittest.main()
