// Adds rounds up as a phone without a connection does, for tests/web/test_phone_points.py: reads them as JSON, writes the points.

import { readFileSync } from "node:fs";

import { playersOf, pointsOf } from "../../static/js/pad-state.js";

const rounds = JSON.parse(readFileSync(0, "utf8"));
const found = rounds.map(({ state, named, teams, share, worths }) =>
  pointsOf(state, playersOf(named, teams), share, (face) => worths[face]),
);
process.stdout.write(JSON.stringify(found));
