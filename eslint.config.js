import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv*/", "build/", "demo/", "docs/"] },
  js.configs.recommended,
  {
    languageOptions: { globals: { ...globals.browser } },
    rules: {
      complexity: ["error", 12],
      eqeqeq: "error",
      "max-depth": ["error", 3],
      "max-lines-per-function": ["error", { max: 100, skipComments: true }],
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
