/** Probes and lifecycle hooks: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { container, each, initContainer, long, pod, type Bodies } from './bodies';

const EXEC: Body = { exec: { command: ['a'] } };
const liveness = (members: Body): Body => container({ livenessProbe: members });
const handled = (members: Body): Body => liveness({ ...EXEC, ...members });
const http = (members: Body): Body => liveness({ httpGet: members });
const header = (...httpHeaders: Json[]): Body => http({ port: 80, httpHeaders });
const hook = (members: Json): Body => container({ lifecycle: { preStop: members } });
const sleep = (seconds: Json, spec: Body = {}): Body =>
  pod({ ...spec, containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds } } } }] });

const PROBES: Bodies = {
  'probe: empty': liveness({}),
  'probe: null': container({ livenessProbe: null }),
  'probe: good': handled({}),
  'probe: two handlers': handled({ tcpSocket: { port: 1 } }),
  'probe: all handlers': handled({ tcpSocket: { port: 1 }, httpGet: { port: 1 }, grpc: { port: 1 } }),
  'probe: all handlers, empty': liveness({ exec: {}, tcpSocket: {}, httpGet: {}, grpc: {} }),
  'probe: wrong later handler': handled({ tcpSocket: {} }),
  'probe: empty exec': liveness({ exec: {} }),
  'probe: empty command': liveness({ exec: { command: [] } }),
  'probe: empty word': liveness({ exec: { command: [''] } }),
  'probe: empty http': http({}),
  ...each('http port', (port) => http({ port }), [0, 1, -1, 65535, 65536, '', '1', 'a', 'A', 'a--b', long(16)]),
  ...each('http path', (path) => http({ port: 80, path }), ['', 'relative', '/a b', 'http://x/', '%', '?a=b']),
  ...each('http scheme', (scheme) => http({ port: 80, scheme }), ['', 'HTTP', 'HTTPS', 'http', 'ftp']),
  ...each('http host', (host) => http({ port: 80, host }), ['', 'a b', '_', 'localhost']),
  ...each('http header', header, [
    null,
    {},
    { name: '' },
    { name: 'A', value: '' },
    { name: 'a b', value: 'x' },
    { name: 'a:b', value: 'x' },
    { name: 'a_b', value: 'x' },
    { name: 'A-b', value: 'a\nb' },
    { name: 'ä', value: '' },
    { name: '-', value: '' },
  ]),
  'http: everything wrong': http({ path: '', port: 'A_', scheme: 'x', httpHeaders: [{ name: ' ' }, { name: '' }] }),
  ...each('tcp port', (port) => liveness({ tcpSocket: { port } }), [0, 1, 65536, '', 'a', 'A']),
  'tcp: host': liveness({ tcpSocket: { port: 1, host: '_ ' } }),
  ...each('grpc port', (port) => liveness({ grpc: { port } }), [0, 1, -1, 65536]),
  'grpc: empty': liveness({ grpc: {} }),
  ...each('grpc service', (service) => liveness({ grpc: { port: 1, service } }), ['', 'a b', long(300)]),
  ...[
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
    'terminationGracePeriodSeconds',
  ].reduce((all, member) => ({ ...all, ...each(member, (value) => handled({ [member]: value }), [0, -1, 1, 2, 2147483647]) }), {}),
  'probe: all numbers wrong': handled({
    initialDelaySeconds: -1,
    timeoutSeconds: -1,
    periodSeconds: -1,
    successThreshold: -1,
    failureThreshold: -1,
    terminationGracePeriodSeconds: -1,
  }),
  'probe: numbers and handler wrong': liveness({ initialDelaySeconds: -1, periodSeconds: -1 }),
  'readiness: thresholds': container({ readinessProbe: { ...EXEC, successThreshold: 5 } }),
  ...each('readiness: grace', (value) => container({ readinessProbe: { ...EXEC, terminationGracePeriodSeconds: value } }), [0, 1, -1]),
  'readiness: all numbers wrong': container({
    readinessProbe: { ...EXEC, initialDelaySeconds: -1, periodSeconds: -1, successThreshold: -1, terminationGracePeriodSeconds: -1 },
  }),
  ...each('startup: threshold', (value) => container({ startupProbe: { ...EXEC, successThreshold: value } }), [0, 1, 2]),
  ...each('startup: grace', (value) => container({ startupProbe: { ...EXEC, terminationGracePeriodSeconds: value } }), [0, 1, -1]),
  'all probes wrong': container({ livenessProbe: {}, readinessProbe: { exec: {} }, startupProbe: { tcpSocket: {} } }),
  'port of no name': liveness({ httpGet: { port: 'missing' } }),
};

const HOOKS: Bodies = {
  'lifecycle: empty': container({ lifecycle: {} }),
  'lifecycle: null': container({ lifecycle: null }),
  'hook: empty': hook({}),
  'hook: null': hook(null),
  'hook: exec': hook(EXEC),
  'hook: empty exec': hook({ exec: {} }),
  'hook: http': hook({ httpGet: { port: 80 } }),
  'hook: http wrong': hook({ httpGet: { path: '', port: 0, scheme: 'x' } }),
  'hook: tcp': hook({ tcpSocket: { port: 80 } }),
  'hook: tcp wrong': hook({ tcpSocket: { port: 0 } }),
  'hook: two': hook({ ...EXEC, httpGet: { port: 80 } }),
  'hook: all': hook({ ...EXEC, httpGet: { port: 80 }, tcpSocket: { port: 80 }, sleep: { seconds: 1 } }),
  'hook: all wrong': hook({ exec: {}, httpGet: {}, tcpSocket: {}, sleep: {} }),
  'hook: grpc': hook({ grpc: { port: 1 } }),
  ...each('sleep', (seconds) => sleep(seconds), [0, 1, -1, 30, 31]),
  'sleep: empty': hook({ sleep: {} }),
  'sleep: beyond the grace period': sleep(6, { terminationGracePeriodSeconds: 5 }),
  'sleep: the grace period': sleep(5, { terminationGracePeriodSeconds: 5 }),
  'sleep: grace period zero': sleep(1, { terminationGracePeriodSeconds: 0 }),
  'sleep: grace period negative': sleep(1, { terminationGracePeriodSeconds: -5 }),
  'post start: empty': container({ lifecycle: { postStart: {} } }),
  'post start: sleep': container({ lifecycle: { postStart: { sleep: { seconds: 1 } } } }),
  'post start and pre stop wrong': container({ lifecycle: { postStart: {}, preStop: { exec: {} } } }),
  'restartable: sleep too long': initContainer({ restartPolicy: 'Always', lifecycle: { preStop: { sleep: { seconds: 50 } } } }),
};

export const HANDLERS: Bodies = { ...PROBES, ...HOOKS };
