// Links modules as a browser does, without running them: [name, text] pairs on stdin; prints what is wrong, by name.

import { text } from "node:stream/consumers";
import { SourceTextModule } from "node:vm";

const sent = new Map(JSON.parse(await text(process.stdin)));
const wrong = {};

for (const name of sent.keys()) {
  const made = new Map();
  const module = (one) => {
    if (!sent.has(one)) throw new Error(`there is no ${one}`);
    if (!made.has(one)) made.set(one, new SourceTextModule(sent.get(one), { identifier: one }));
    return made.get(one);
  };
  try {
    await module(name).link((address) => module(address.replace("./", "")));
  } catch (error) {
    wrong[name] = String(error);
  }
}
console.log(JSON.stringify(wrong));
