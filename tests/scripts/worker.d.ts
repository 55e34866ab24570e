/** What the server writes above static/js/service-worker.js. */
declare const referee: {
  version: string;
  root: string;
  shell: string;
  files: string;
  ahead: string;
  fonts: string[];
  books: Record<string, string>;
};
