import { rules as regexp } from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const tests = ['**/*.test.ts', '**/contract/*.ts', 'test/**/*.ts'];

/** Time and chance are injected; only shared/runtime/clock.ts and random.ts (and tests, which are not linted here) touch the global ones. */
const injected = {
  'no-restricted-globals': [
    'error',
    ...['setTimeout', 'setInterval'].map((name) => ({ name, message: 'Take a Clock (shared/runtime/clock.ts).' })),
  ],
  'no-restricted-syntax': [
    'error',
    {
      selector: "MemberExpression[object.name=/^(Date|performance)$/][property.name='now']",
      message: 'Take a Clock (shared/runtime/clock.ts).',
    },
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take a Clock (shared/runtime/clock.ts).' },
    { selector: "MemberExpression[object.name='Math'][property.name='random']", message: 'Take a Random (shared/runtime/random.ts).' },
    {
      selector: 'CallExpression[callee.property.name=/^(push|unshift)$/] > SpreadElement',
      message: 'Arguments lie on the stack, which long lists overflow: use append (shared/values/append.ts).',
    },
    { selector: 'TSAsExpression > TSAsExpression > TSUnknownKeyword', message: 'Parse at the edge instead of casting through unknown.' },
  ],
};

/**
 * Node hands the sockets of these events over to the event listener, possibly during a TLS handshake or as HTTP/2 connections; a write to such a socket may abort the
 * process.
 */
const SOCKET_EVENTS = [
  // Clients have an event `upgrade` too, whose socket is theirs.
  { events: 'clientError|tlsClientError|unknownProtocol|secureConnection', object: '' },
  { events: 'upgrade', object: '[callee.object.name=/server$/i]' },
].map(({ events, object }) => ({
  selector: `CallExpression[callee.property.name=/^(on|once|addListener|prependListener)$/]${object} > Literal[value=/^(${events})$/]`,
  message:
    'Sockets of a listener are handled in apiserver/server/connections/listeners.ts, which checks the protocol (http1-socket.ts) before anything is written.',
}));

/** Texts and numbers that never change are distinguished from functions and objects at a glance. */
const CONSTANTS = ['[init.type="Literal"][init.raw=/^[\'"\\d]/]', '[init.type="TemplateLiteral"]'].map((literal) => ({
  selector: `:matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration[kind="const"] > VariableDeclarator${literal}[id.name!=/^[A-Z][A-Z0-9_]*$/]`,
  message: 'Constants that are texts or numbers are written in UPPER_CASE.',
}));

/** Rules about the syntax of this code base alone. All others are in .oxlintrc.json, which knows types. */
export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', '.platform/**', 'shared/api/types/generated/**', ...tests] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    rules: {
      ...injected,
      // Rules have no exceptions in the code.
      'no-warning-comments': ['error', { terms: ['oxlint-disable', 'eslint-disable'], location: 'anywhere' }],
      'no-restricted-syntax': [...injected['no-restricted-syntax'], ...SOCKET_EVENTS, ...CONSTANTS],
    },
  },
  {
    // Whatever a pattern is asked about takes time in proportion to its length: texts are a client's choice.
    files: ['**/*.ts'],
    plugins: { regexp: { rules: regexp } },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    // The types of objects are known here. Keys that a client chooses (labels, data) are still read by name.
    files: ['apiserver/{admission,authorization,kinds,printers,reconcilers,reviews}/**/*.ts', 'controllers/**/*.ts'],
    ignores: [
      ...tests,
      'apiserver/kinds/apiextensions/schema/**',
      // Input that is not checked yet: lines of a policy file, responses of webhooks, objects that a webhook has patched.
      'apiserver/authorization/{abac,webhook/subject-access-review}.ts',
      'apiserver/admission/{plugins/pods/image-review-status,webhook/admission-response,webhook/object-view}.ts',
      // The schema is unknown here: responses of extension API servers, OpenAPI documents, the data of a ControllerRevision.
      'controllers/{autoscalers/metrics-client,policy-status/kind-types,workload/controller-revision}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        ...injected['no-restricted-syntax'],
        ...SOCKET_EVENTS,
        ...CONSTANTS,
        {
          selector: 'CallExpression[callee.name=/^(objectAt|arrayAt|stringsAt|stringAt)$/][arguments.1.value=/^[a-zA-Z]+$/]',
          message: 'Read the member of the type: a name that it does not have does not compile.',
        },
      ],
    },
  },
  { files: ['apiserver/server/connections/listeners.ts'], rules: injected },
  {
    files: ['shared/runtime/clock.ts', 'shared/runtime/random.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-syntax': 'off' },
  },
);
