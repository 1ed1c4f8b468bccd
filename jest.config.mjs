// Tests stand beside the code as *.test.ts. swc only transforms (types are checked by tsc in `npm run build`).
const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { useDefineForClassFields: true } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

// Packages that exist as ES modules only.
const esModules = ['@kubernetes/client-node', '@noble/ciphers', 'jose', 'openid-client', 'oauth4webapi'];

export default {
  roots: ['<rootDir>/apiserver', '<rootDir>/controllers', '<rootDir>/shared', '<rootDir>/deploy', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // Sources that are loaded only when needed are named as their compiled programs find them.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': swc, '^.+\\.m?js$': swc },
  transformIgnorePatterns: [`/node_modules/(?!(?:${esModules.join('|')})/)`],
  // Twice the processors to count on: many tests wait for something to time out.
  maxWorkers: 4,
  testTimeout: 90_000,
  // Arguments of each module instead of look-ups in jest's sandbox, which take a microsecond each: the unit tests need a quarter less CPU. Names that no package declares.
  sandboxInjectedGlobals: [
    ...['Array', 'BigInt', 'Error', 'JSON', 'Map', 'Math', 'Number', 'Object'],
    ...['Promise', 'Reflect', 'RegExp', 'String', 'Symbol', 'Uint8Array', 'WeakMap'],
  ],
};
