// How scripts are written. Commands: `python3 run lint`.

import js from "@eslint/js";
import globals from "globals";

const rules = {
  ...js.configs.recommended.rules,
  "consistent-return": "error",
  "curly": ["error", "multi-line"],
  "eqeqeq": "error",
  "max-lines-per-function": ["error", 60],
  "no-else-return": "error",
  "no-implicit-coercion": "error",
  "no-shadow": "error",
  "no-throw-literal": "error",
  "no-unneeded-ternary": "error",
  "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_", ignoreRestSiblings: true }],
  "no-useless-return": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-arrow-callback": "error",
  "prefer-const": ["error", { destructuring: "all" }],
  "prefer-object-spread": "error",
  "prefer-template": "error",
  "require-await": "error",
};

export default [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  { files: ["**/*.js"], rules },
  { files: ["static/js/*.js"], languageOptions: { ecmaVersion: 2022, globals: globals.browser } },
  {
    files: ["static/js/service-worker.js"],
    languageOptions: { globals: { ...globals.serviceworker, referee: "readonly" }, sourceType: "script" },
  },
  { files: ["tests/scripts/**/*.js"], languageOptions: { globals: globals.node } },
];
