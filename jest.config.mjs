// Tests stand beside the code as *.test.ts. swc only transforms (types are checked by tsc in `npm run build`).
const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { useDefineForClassFields: true } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

// Packages that exist as ES modules only: where jest itself loads what tests import, they are transformed as well.
const esModules = ['@kubernetes/client-node', 'jose', 'openid-client', 'oauth4webapi'];

export default {
  // What tests import is loaded by Node, most of it once for each of jest's processes.
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  roots: ['<rootDir>/apiserver', '<rootDir>/controllers', '<rootDir>/shared', '<rootDir>/deploy', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': swc, '^.+\\.m?js$': swc },
  transformIgnorePatterns: [`/node_modules/(?!(?:${esModules.join('|')})/)`],
  testSequencer: '<rootDir>/test/support/jest/sequencer.cjs',
  // Twice the processors to count on: many tests wait for something to time out.
  maxWorkers: 4,
  testTimeout: 90_000,
};
