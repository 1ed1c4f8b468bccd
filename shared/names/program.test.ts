import { DIALECTS } from './dialect';
import { PROGRAM_NAMES, userAgent } from './program';

test.each([
  ['kubernetes', 'linux', 'x64', 'kube-controller-manager/v1.31.1 (linux/amd64) kubernetes/unknown/job-controller'],
  ['kubernetes', 'win32', 'arm64', 'kube-controller-manager/v1.31.1 (windows/arm64) kubernetes/unknown/job-controller'],
  ['platform', 'darwin', 'ia32', 'controllers/v1.31.1 (darwin/386) platform/unknown/job-controller'],
] as const)('userAgent has the upstream form with the names of the dialect %s on %s/%s', (dialect, platform, arch, expected) => {
  expect(userAgent(dialect, 'controllers', { platform, arch }, 'job-controller')).toBe(expected);
});

test('userAgent starts with the name of the program up to the first slash', () => {
  for (const dialect of DIALECTS) {
    for (const program of ['apiserver', 'controllers'] as const) {
      expect(userAgent(dialect, program, process, 'p').split('/', 1)).toEqual([PROGRAM_NAMES[dialect][program]]);
    }
  }
});
