import { rules as regexp } from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const tests = ['**/*.test.ts', 'test/**/*.ts'];

/** Time and chance are injected; only shared/runtime/clock.ts and random.ts (and tests) touch the global ones. */
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
    'Sockets of a listener are handled in apiserver/server/listeners.ts, which checks the protocol (http1-socket.ts) before anything is written.',
}));

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', '.platform/**', 'shared/api/types/generated/**'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'off' } },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...injected,
      'no-restricted-syntax': [...injected['no-restricted-syntax'], ...SOCKET_EVENTS],
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      // An async function may satisfy a contract without awaiting anything.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Values that never change are told from functions and objects at a glance.
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'variable', modifiers: ['const', 'global'], types: ['number', 'string'], format: ['UPPER_CASE'] },
      ],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    // Whatever a pattern is asked about takes time in proportion to its length: texts are a client's choice.
    files: ['**/*.ts'],
    ignores: tests,
    plugins: { regexp: { rules: regexp } },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
    },
  },
  {
    // Rules know the types of what they judge; what a client names itself (labels, data) is still read by its name.
    files: ['apiserver/kinds/**/*.ts'],
    ignores: ['apiserver/kinds/apiextensions/schema/**', ...tests],
    rules: {
      'no-restricted-syntax': [
        ...injected['no-restricted-syntax'],
        ...SOCKET_EVENTS,
        {
          selector: 'CallExpression[callee.name=/^(objectAt|arrayAt|stringsAt|stringAt)$/][arguments.1.value=/^[a-zA-Z]+$/]',
          message: 'Read the member of the type: a name that it does not have does not compile.',
        },
      ],
    },
  },
  { files: ['apiserver/server/listeners.ts'], rules: injected },
  {
    files: ['shared/runtime/clock.ts', 'shared/runtime/random.ts'],
    rules: { 'no-restricted-globals': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    files: tests,
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/naming-convention': 'off',
      'no-console': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-syntax': 'off',
      // Matchers such as expect.any() are untyped by design, and bodies under test are read loosely.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/consistent-type-assertions': 'off',
    },
  },
);
