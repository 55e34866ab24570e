// Lets Node import static/js/*.js as what browsers take them for: ES modules, without a package.json beside them.

import { register } from "node:module";

export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return found.url.includes("/static/js/") ? { ...found, format: "module" } : found;
}

const inTheLoader = new URL(import.meta.url).searchParams.has("hooks");
if (!inTheLoader) register(`${import.meta.url}?hooks`);
