"""A ReFrame test of each node's cards: reframe -c lab/reframe/sonde_check.py -r

sonde and, where a good card's run is named, that file have to be on the node. Each number of a card is a
performance variable, so that ReFrame keeps their history. A card that is not ok fails the test; its line in the job's
output says why.
"""

import json
import re

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class SondeCheck(rfm.RunOnlyRegressionTest):
    descr = "Every card is as good as a good one"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sonde = variable(str, value="sonde")
    good = variable(str, value="")
    words = variable(str, value="")
    time_limit = "5m"

    @run_before("run")
    def set_command(self):
        self.executable = self.sonde
        self.executable_opts = ["check", "--out", "check.jsonl", self.words] + self.against()
        self.keep_files = ["check.jsonl", "check.json"]
        self.postrun_cmds = [
            " ".join([self.sonde, "check", "check.jsonl", "--json"] + self.against() + [">check.json"])
        ]

    def against(self):
        return ["--against", self.good] if self.good else []

    @sanity_function
    def all_are_ok(self):
        return sn.all(
            [
                sn.assert_found(r"^ok: ", self.stdout, msg="no card is ok"),
                sn.assert_not_found(r"^(slow|faulty|void|unjudged): ", self.stdout, msg="a card is not ok"),
            ]
        )

    @run_before("performance")
    def set_numbers(self):
        with open(f"{self.stagedir}/check.json", encoding="utf-8") as file:
            cards = json.load(file)
        self.perf_variables = {
            re.sub(r"\W", "_", f'{number["device"]} {number["name"]}'): sn.make_performance_function(
                sn.defer(number["value"]), number["unit"]
            )
            for card in cards
            for number in card["numbers"]
        }
