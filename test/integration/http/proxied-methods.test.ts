/** Methods and trailing slashes of proxy requests, end to end from the client to a backend on this machine. */
import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { reportSkipped } from '../../support/report-skipped';
import { closeServer, listen } from '../../support/servers/listen';
import { useResource } from '../../support/use-resource';
import { requireSuccess } from './fixture';
import { useKubeletServer } from './kubelet-fixture';

/**
 * The server refuses to proxy to loopback addresses, so the backend listens on an address of another network interface.
 */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('169.254.'))?.address;

const PAGE = '<a href="/x">';

async function startBackend(address: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    response.setHeader('x-asked', `${request.method ?? ''} ${request.url ?? ''}`);
    response.setHeader('content-type', request.url === '/page' ? 'text/html' : 'text/plain');
    response.end(request.url === '/page' ? PAGE : 'said');
  });
  return { server, port: await listen(server, 0, address) };
}

function describeProxiedMethods(address: string): void {
  const paths: Record<string, string> = {};
  const api = useKubeletServer();
  const backend = useResource(
    () => startBackend(address),
    ({ server }) => closeServer(server),
  );
  beforeAll(async () => {
    const { port } = backend();
    const pods = '/api/v1/namespaces/default/pods';
    const services = '/api/v1/namespaces/default/services';
    const container = { name: 'c', image: 'i', ports: [{ containerPort: port }] };
    await api.create(pods, { metadata: { name: 'p' }, spec: { containers: [container] } });
    requireSuccess(await api.mergePatch(`${pods}/p/status`, { status: { podIP: address, podIPs: [{ ip: address }] } }));
    await api.create('/api/v1/nodes', { metadata: { name: 'n' }, status: { addresses: [{ type: 'InternalIP', address }] } });
    await api.create(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    const targetRef = { kind: 'Pod', namespace: 'default', name: 'p' };
    const subsets = [{ addresses: [{ ip: address, targetRef }], ports: [{ port }] }];
    await api.create('/api/v1/namespaces/default/endpoints', { metadata: { name: 's' }, subsets });
    Object.assign(paths, { pod: `${pods}/p/proxy`, node: `/api/v1/nodes/n:${port}/proxy`, service: `${services}/s/proxy` });
  });

  const pathOf = (target: string): string => paths[target] ?? '';
  const targets = ['pod', 'node', 'service'];
  const casesOf = (methods: readonly string[]) => targets.flatMap((target) => methods.map((method) => [target, method] as const));

  test.each(casesOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']))(
    'to a %s pass on the method %s',
    async (target, method) => {
      const response = await api.call(`${pathOf(target)}/a?b=c`, { method });
      expect([response.status, response.headers['x-asked'], response.text]).toEqual([
        200,
        `${method} /a?b=c`,
        method === 'HEAD' ? '' : 'said',
      ]);
    },
  );

  test.each(casesOf(['GET', 'HEAD']))('to a %s without a trailing slash redirect %s to the path with it', async (target, method) => {
    for (const query of ['', '?b=c']) {
      const response = await api.call(`${pathOf(target)}${query}`, { method });
      expect([response.status, response.headers.location, response.text]).toEqual([301, `${pathOf(target)}/${query}`, '']);
    }
  });

  test.each(casesOf(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']))(
    'to a %s without a trailing slash pass %s on to the root path',
    async (target, method) => {
      const response = await api.call(`${pathOf(target)}?b=c`, { method });
      expect([response.status, response.headers['x-asked']]).toEqual([200, `${method} /?b=c`]);
    },
  );

  test.each(casesOf(['TRACE']))('to a %s reject the method %s', async (target, method) => {
    expect((await api.call(`${pathOf(target)}/a`, { method })).status).toBe(405);
  });

  test.each(targets)('to a %s rewrite the links of a page', async (target) => {
    expect((await api.get(`${pathOf(target)}/page`)).text).toBe(`<a href="${pathOf(target)}/x">`);
  });

  test.each(['log', 'exec', 'attach', 'portforward', 'status'])(
    'do not include HEAD and OPTIONS of the subresource %s',
    async (subresource) => {
      for (const method of ['HEAD', 'OPTIONS'])
        expect((await api.call(`/api/v1/namespaces/default/pods/p/${subresource}`, { method })).status).toBe(405);
    },
  );
}

describe('proxies', () => {
  if (ADDRESS === undefined) reportSkipped('proxies to a backend', 'this machine has no address that others reach');
  else describeProxiedMethods(ADDRESS);
});
