import { helpText, parseFlags } from '../../../shared/cli/flags';
import { effectiveLogLevel } from '../../../shared/runtime/logger';
import { FLAGS } from './flags';

const PROGRAM = { name: 'apiserver', description: '' };
const parse = (...args: string[]) => parseFlags(PROGRAM, FLAGS, args);

it.each([
  ['--allow-privileged'],
  ['--allow-privileged=true'],
  ['--profiling=false'],
  ['--endpoint-reconciler-type=lease'],
  ['--watch-cache=true'],
  ['--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
])('the API server accepts %s, which states its fixed behaviour', (arg) => {
  expect(parse(arg).kind).toBe('values');
});

it.each([
  ['--allow-privileged=false', /'--allow-privileged \[value\]' argument 'false' is invalid. can only be true: privileged pods are allowed/],
  ['--vmodule=a=3', /is not supported: the log level/],
  ['--watch-cache-sizes=pods#10', /is not supported/],
  ['--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA', /cipher suite TLS_RSA_WITH_RC4_128_SHA not supported or doesn't exist/],
  ['--tls-min-version=VersionTLS10', /must be one of VersionTLS12, VersionTLS13/],
])('the API server rejects %s with a reason', (arg, message) => {
  const parsed = parse(arg);
  expect(parsed.kind === 'error' ? parsed.message : '').toMatch(message);
});

it('the help omits flags of upstream that are not supported', () => {
  expect(helpText(PROGRAM, FLAGS)).not.toContain('--vmodule');
});

it.each([
  [['-v', '3'], 'debug'],
  [['-v=3'], 'debug'],
  [['--v=6'], 'trace'],
  [['-v=2'], 'info'],
  [['-v=3', '--log-level=trace'], 'trace'],
  [['-v=3', '--log-level=warn'], 'debug'],
])('effectiveLogLevel returns for the arguments %s the level %s', (args, level) => {
  const parsed = parse(...args);
  expect(parsed.kind === 'values' ? effectiveLogLevel(parsed.values) : parsed).toBe(level);
});
