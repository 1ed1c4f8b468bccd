/**
 * A person's session with real kubectl about traffic: ingresses with every flag of `create ingress`, their default class, and what Endpoints,
 * EndpointSlices and NetworkPolicies look like. The tables and descriptions are what release 1.31.1 gave.
 */
import { table, withEachKubectl, type KubectlSession } from '../support/kubectl-session';

const AGE = expect.stringMatching(/^\d+s$/);

/** The default class is the whole server's, so each session takes its own away again. */
const ingressClass = (name: string): string => `
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: ${name}, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
spec: {controller: example.com/ingress, parameters: {apiGroup: example.com, kind: Parameters, name: external}}
`;

const TRAFFIC = `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db}
spec:
  podSelector: {matchLabels: {role: db}}
  ingress:
  - from: [{ipBlock: {cidr: 172.17.0.0/16, except: [172.17.1.0/24]}}]
    ports: [{port: 8000, endPort: 9000}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: http, port: 80}]
endpoints: [{addresses: [10.1.2.3], conditions: {ready: true}, nodeName: node-1}, {addresses: [10.1.2.4]}]
---
apiVersion: v1
kind: Endpoints
metadata: {name: web}
subsets: [{addresses: [{ip: 10.1.2.3}], notReadyAddresses: [{ip: 10.1.2.4}], ports: [{name: http, port: 80}]}]
`;

withEachKubectl('traffic', (current) => {
  it('creates, shows and changes ingresses', async () => {
    const session = current();
    const name = session.namespace;
    await session.ok('create -f -', ingressClass(name));
    expect(table(await session.ok(`get ingressclass ${name}`))).toEqual([
      ['NAME', 'CONTROLLER', 'PARAMETERS', 'AGE'],
      [name, 'example.com/ingress', 'Parameters.example.com/external', AGE],
    ]);
    await createIngresses(session);
    await session.ok(`delete ingressclass ${name}`);
    expect(table(await session.ok('get ingress -o wide'))).toEqual([
      ['NAME', 'CLASS', 'HOSTS', 'ADDRESS', 'PORTS', 'AGE'],
      // A column without content is only blanks.
      ['all', 'nginx', '*.example.com,example.org', '80, 443', AGE],
      ['plain', name, '*', '80', AGE],
    ]);
    expect(await session.ok('describe ingress all')).toMatch(
      new RegExp(
        [
          '\nIngress Class: +nginx\nDefault backend: +fallback:http .*\nTLS:\n  cert terminates \\*\\.example\\.com\nRules:\n.*\n.*\n',
          '  \\*\\.example\\.com +\n +/   web:8080 .*\n  example\\.org +\n +/exact   web:http .*\nAnnotations: +a: b\n',
        ].join(''),
      ),
    );
    expect(await session.ok('patch ingress plain --type=merge -p {"spec":{"ingressClassName":"other"}}')).toBe(
      'ingress.networking.k8s.io/plain patched\n',
    );
    const status = '{"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"lb.example.com"}]}}}';
    await session.ok(`patch ingress plain --subresource=status --type=merge -p ${status}`);
    expect(table(await session.ok('get ing plain'))[1]).toEqual(['plain', 'other', '*', '1.2.3.4,lb.example.com', '80', AGE]);
  });

  it('says what is wrong with an ingress', async () => {
    const session = current();
    const wrong = await session.fails('create ingress bad --class=X --rule=*/bar=Svc:8080,tls=A_');
    for (const field of ['rules[0].host', 'rules[0].http.paths[0].backend.service.name', 'tls[0].secretName', 'ingressClassName'])
      expect(wrong).toContain(`spec.${field}: Invalid value: `);
  });

  it('shows the other objects of traffic, and refuses what is wrong with them', async () => {
    const session = current();
    await session.ok('create -f -', TRAFFIC);
    expect(await session.ok('describe networkpolicy db')).toMatch(
      /To Port Range: 8000-9000\/TCP\n {4}From:\n {6}IPBlock:\n {8}CIDR: 172\.17\.0\.0\/16\n {8}Except: 172\.17\.1\.0\/24\n/,
    );
    expect(table(await session.ok('get endpointslices -l kubernetes.io/service-name=web'))).toEqual([
      ['NAME', 'ADDRESSTYPE', 'PORTS', 'ENDPOINTS', 'AGE'],
      ['web-1', 'IPv4', '80', '10.1.2.3,10.1.2.4', AGE],
    ]);
    expect(await session.ok('describe endpoints web')).toMatch(/\n {2}Addresses: +10\.1\.2\.3\n {2}NotReadyAddresses: +10\.1\.2\.4\n/);
    expect(await session.fails('patch endpointslice web-1 --type=merge -p {"addressType":"IPv6","endpoints":null}')).toBe(
      'The EndpointSlice "web-1" is invalid: addressType: Invalid value: "IPv6": field is immutable\n',
    );
    expect(await session.fails('patch endpoints web --type=merge -p {"subsets":[{"addresses":[{"ip":"::ffff:127.0.0.1"}]}]}')).toBe(
      'The Endpoints "web" is invalid: subsets[0].addresses[0].ip: Invalid value: "::ffff:127.0.0.1": ' +
        'may not be in the loopback range (127.0.0.0/8, ::1/128)\n',
    );
  });
});

async function createIngresses(session: KubectlSession): Promise<void> {
  const rules = ['--rule=*.example.com/*=web:8080,tls=cert', '--rule=example.org/exact=web:http'];
  const flags = ['--class=nginx', '--default-backend=fallback:http', '--annotation=a=b', ...rules];
  expect(await session.ok(['create', 'ingress', 'all', ...flags])).toBe('ingress.networking.k8s.io/all created\n');
  expect(await session.ok('create ingress plain --rule=/=web:80 --dry-run=server -o name')).toBe('ingress.networking.k8s.io/plain\n');
  await session.ok('create ingress plain --rule=/=web:80');
}
