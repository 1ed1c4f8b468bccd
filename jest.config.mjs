// Tests stand beside the code as *.test.ts. swc only transforms (types are checked by tsc in `npm run build`).
const swc = [
  '@swc/jest',
  {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022', transform: { useDefineForClassFields: true } },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

// Packages that exist as ES modules only; jest loads CommonJS, so they are transformed as well.
const esModules = ['@noble/ciphers', '@kubernetes/client-node', 'jose', 'openid-client', 'oauth4webapi'];

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apiserver', '<rootDir>/controllers', '<rootDir>/shared', '<rootDir>/deploy', '<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': swc, '^.+\\.m?js$': swc },
  transformIgnorePatterns: [`/node_modules/(?!(?:${esModules.join('|')})/)`],
  // Sources that are loaded only when they are needed are named as their programs find them.
  moduleNameMapper: { '^([.]{1,2}/.+)[.]js$': ['$1.js', '$1.ts'] },
  // One more than there are processors to count on: many tests wait for something to time out.
  maxWorkers: 3,
  testTimeout: 90_000,
};
