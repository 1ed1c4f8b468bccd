import { parseRunnerOptions } from '../../test/support/runner-options';
import { parseEndpoint, type RunnerOptions } from './options';

const optionsOf = (...argv: string[]): RunnerOptions => parseRunnerOptions(argv, '/home/me/project');

describe('runnerOptions', () => {
  it('returns defaults without arguments', () => {
    expect(optionsOf()).toEqual({
      dataDir: '/home/me/project/.platform',
      bindAddress: '127.0.0.1',
      controlPlaneEndpoint: '',
      certificateNames: [],
      securePort: 6443,
      simulatedNodeCapacity: [],
      simulatedNodes: 0,
      insecurePort: 0,
      etcdServers: [],
      replicas: 1,
      serviceRanges: '10.0.0.0/24',
      controllers: ['*', 'tokencleaner', 'bootstrapsigner'],
      serverFlags: [],
      controllerFlags: [],
    });
  });

  it('passes unknown flags on verbatim and in order', () => {
    const options = optionsOf(
      '--naming=kubernetes',
      '--data-dir=/data',
      '--token-auth-file',
      'tokens.csv',
      '--etcd-servers=http://a:1,http://b:2',
      '--x=-*',
    );
    expect(options.serverFlags).toEqual(['--naming=kubernetes', '--token-auth-file', 'tokens.csv', '--x=-*']);
    expect(options).toMatchObject({ dataDir: '/data', etcdServers: ['http://a:1', 'http://b:2'] });
  });

  it('accepts disabled controllers', () => {
    expect(optionsOf('--controllers=-*').controllers).toEqual(['-*']);
  });

  it.each([
    [['--replicas=3'], /needs --etcd-servers/],
    [['--replicas=0'], /at least 1/],
    [['--secure-port=0'], /at least 1/],
    [['--secure-port=8080', '--insecure-port=8080'], /overlap/],
    [['--secure-port=8078', '--insecure-port=8080', '--replicas=3', '--etcd-servers=http://a:1'], /overlap/],
    [['--secure-port=65535', '--replicas=2', '--etcd-servers=http://a:1'], /65536/],
    [['stray'], /unexpected argument "stray"/],
    [['--bind-address=localhost'], /must be an IP address/],
    [['--control-plane-endpoint=https://a.example.com'], /must be a host or host:port/],
    [['--control-plane-endpoint=a.example.com:'], /must be a host or host:port/],
    [['--control-plane-endpoint=a.example.com:70000'], /must be a host or host:port/],
    [['--control-plane-endpoint=fd00::1]'], /must be a host or host:port/],
    [['--apiserver-cert-extra-sans=a.example.com,a b'], /"a b" is neither a DNS name nor an IP address/],
  ])('rejects %j', (argv, message) => {
    expect(() => optionsOf(...argv)).toThrow(message);
  });

  it('allows adjacent ports for a single API server', () => {
    expect(optionsOf('--secure-port=8081', '--insecure-port=8080').securePort).toBe(8081);
    expect(optionsOf('--secure-port=65535').securePort).toBe(65_535);
  });
});

it.each([
  ['cluster.example.com', 'https://cluster.example.com:6443'],
  ['cluster.example.com:7443', 'https://cluster.example.com:7443'],
  ['cluster.example.com:443', 'https://cluster.example.com'],
  ['192.0.2.7:7443', 'https://192.0.2.7:7443'],
  ['fd00::1', 'https://[fd00::1]:6443'],
  ['[fd00::1]', 'https://[fd00::1]:6443'],
  ['[fd00::1]:7443', 'https://[fd00::1]:7443'],
  ['', undefined],
  [':7443', undefined],
  ['fd00::1:x', undefined],
  ['user@cluster.example.com', undefined],
])('parseEndpoint reads %j as %j', (text, url) => expect(parseEndpoint(text, 6443)).toBe(url));
