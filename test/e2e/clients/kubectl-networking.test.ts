/**
 * Networking with real kubectl: Services of each type, Ingresses with every flag of `create ingress`, Endpoints,
 * EndpointSlices and NetworkPolicies. The expected tables and descriptions are those of release 1.31.1. The tests of a
 * block continue with the objects of earlier ones.
 */
import { parseTable, describeWithKubectl } from '../../support/external/kubectl-session';
import { fixture } from '../fixture';

interface Service {
  readonly spec: {
    readonly type: string;
    readonly clusterIP?: string;
    readonly ports: readonly { readonly port: number; readonly targetPort: number; readonly nodePort?: number }[];
  };
}

/** The Service `filed` with more members of its spec. */
const serviceManifest = (spec: string): string => `
apiVersion: v1
kind: Service
metadata: {name: filed}
spec:
  selector: {app: filed}
  ${spec}
`;

const ANY_AGE = expect.stringMatching(/^\d+s$/);

describeWithKubectl('networking', (session) => {
  const getServiceSpec = async (name: string): Promise<Service['spec']> => (await session.json<Service>(`get service ${name}`)).spec;

  describe('Services', () => {
    beforeAll(async () => {
      await session.ok('create service clusterip web --tcp=80:8080 --tcp=443:8443');
      await session.ok('create service clusterip headless --clusterip=None');
      await session.ok('create service nodeport np --tcp=80:8080');
      await session.ok('create service loadbalancer lb --tcp=80:8080');
      await session.ok('create service externalname ext --external-name=db.example.com');
    }, 30_000);

    it('get prints Services of each type', async () => {
      const rows = parseTable(await session.ok('get services'));
      expect(rows.map((row) => row.slice(0, 5))).toEqual([
        ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)'],
        ['ext', 'ExternalName', '<none>', 'db.example.com', '<none>'],
        ['headless', 'ClusterIP', 'None', '<none>', '<none>'],
        ['lb', 'LoadBalancer', expect.stringMatching(/^10\./), '<pending>', expect.stringMatching(/^80:3\d{4}\/TCP$/)],
        ['np', 'NodePort', expect.stringMatching(/^10\./), '<none>', expect.stringMatching(/^80:3\d{4}\/TCP$/)],
        ['web', 'ClusterIP', expect.stringMatching(/^10\./), '<none>', '80/TCP,443/TCP'],
      ]);
    });

    it('create reports that an address is already allocated', async () => {
      const { clusterIP = '' } = await getServiceSpec('web');
      expect(await session.fails(`create service clusterip duplicate --tcp=80 --clusterip=${clusterIP}`)).toBe(
        `error: failed to create ClusterIP service: Service "duplicate" is invalid: spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: ` +
          `failed to allocate IP ${clusterIP}: provided IP is already allocated\n`,
      );
    });

    it('create reports that a node port is out of range or already allocated', async () => {
      expect(await session.fails('create service nodeport low --tcp=80 --node-port=80')).toMatch(
        /spec\.ports\[0\]\.nodePort: Invalid value: 80: provided port is not in the valid range\. The range of valid ports is 30000-32767\n$/,
      );
      const { ports } = await getServiceSpec('np');
      expect(await session.fails(`create service nodeport np2 --tcp=80 --node-port=${ports[0]?.nodePort ?? 0}`)).toMatch(
        /provided port is already allocated\n$/,
      );
    });

    it('create with a dry run creates nothing', async () => {
      expect(await session.ok('create service clusterip dry --tcp=80 --dry-run=server -o name')).toBe('service/dry\n');
      expect(await session.fails('get service dry')).toMatch(/"dry" not found/);
    });

    it('expose creates Services for a Deployment', async () => {
      await session.ok('create deployment app --image=i --port=8080');
      await session.ok('expose deployment app --port=80 --target-port=8080');
      await session.ok(
        'expose deployment app --name=app-lb --type=LoadBalancer --port=80 --external-ip=192.0.2.7 --session-affinity=ClientIP',
      );
      const description = await session.ok('describe service app-lb');
      for (const line of [/^Name: +app-lb$/m, /^Type: +LoadBalancer$/m, /^External IPs: +192\.0\.2\.7$/m, /^Session Affinity: +ClientIP$/m])
        expect(description).toMatch(line);
      expect(description).toMatch(/^NodePort: +<unset> +3\d{4}\/TCP$/m);
    });

    it('describe prints IP families and traffic policies', async () => {
      const description = await session.ok('describe service web');
      for (const line of [/^IP Family Policy: +SingleStack$/m, /^IP Families: +IPv4$/m, /^Internal Traffic Policy: +Cluster$/m])
        expect(description).toMatch(line);
    });

    it('patch merges the ports of a Service by their number', async () => {
      await session.ok(['patch', 'service', 'web', '-p', '{"spec":{"ports":[{"port":80,"targetPort":9090}]}}']);
      expect((await getServiceSpec('web')).ports).toMatchObject([
        { port: 80, targetPort: 9090 },
        { port: 443, targetPort: 8443 },
      ]);
    });

    it('patch changes the type of a Service, which keeps its address and has node ports as long as the type needs them', async () => {
      const before = await getServiceSpec('web');
      await session.ok(['patch', 'service', 'web', '--type=merge', '-p', '{"spec":{"type":"NodePort"}}']);
      const { ports } = await getServiceSpec('web');
      expect(ports.every(({ nodePort = 0 }) => nodePort >= 30_000)).toBe(true);
      await session.ok(['patch', 'service', 'web', '--type=json', '-p', '[{"op":"replace","path":"/spec/type","value":"ClusterIP"}]']);
      const after = await getServiceSpec('web');
      expect(after.clusterIP).toBe(before.clusterIP);
      expect(after.ports.every(({ nodePort }) => nodePort === undefined)).toBe(true);
    });

    it('patch cannot change the address of a Service', async () => {
      const { clusterIP } = await getServiceSpec('web');
      // The allocated address is random, so the other one must differ from it.
      const otherAddress = clusterIP === '10.0.0.250' ? '10.0.0.251' : '10.0.0.250';
      expect(await session.fails(['patch', 'service', 'web', '--type=merge', '-p', `{"spec":{"clusterIP":"${otherAddress}"}}`])).toContain(
        `spec.clusterIPs[0]: Invalid value: []string{"${otherAddress}"}: may not change once set\n`,
      );
    });

    /** The words of a command that changes the address in the status of the Service `lb`. */
    const patchAddress = (ip: string): readonly string[] => [
      ...['patch', 'service', 'lb', '--subresource=status', '--type=merge', '-p'],
      JSON.stringify({ status: { loadBalancer: { ingress: [{ ip }] } } }),
    ];

    it('get prints the address of a load balancer', async () => {
      await session.ok(patchAddress('192.0.2.50'));
      expect(parseTable(await session.ok('get service lb'))[1]?.[3]).toBe('192.0.2.50');
    });

    it('patch rejects an invalid address of a load balancer', async () => {
      expect(await session.fails(patchAddress('x'))).toMatch(
        /status\.loadBalancer\.ingress\[0\]\.ip: Invalid value: "x": must be a valid IP address/,
      );
    });

    const apply = (spec: string, ...flags: string[]): Promise<string> => session.ok(['apply', ...flags, '-f', '-'], serviceManifest(spec));

    it('apply changes a Service as the file changes', async () => {
      expect(await apply('ports: [{name: http, port: 80, targetPort: 8080}]')).toBe('service/filed created\n');
      expect(await apply('ports: [{name: http, port: 80, targetPort: 8080}]')).toBe('service/filed unchanged\n');
      expect(await apply('type: NodePort\n  ports: [{name: http, port: 81, targetPort: 8080}]')).toBe('service/filed configured\n');
      expect((await getServiceSpec('filed')).ports[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
      await apply('ports: [{name: http, port: 81, targetPort: 8080}]');
      const { type, ports } = await getServiceSpec('filed');
      expect([type, ports]).toEqual(['ClusterIP', [{ name: 'http', port: 81, protocol: 'TCP', targetPort: 8080 }]]);
    });

    it('apply --server-side takes over a Service that the client has applied', async () => {
      const flags = ['--server-side', '--field-manager=x', '--force-conflicts'];
      expect(await apply('ports: [{name: http, port: 81}]', ...flags)).toBe('service/filed serverside-applied\n');
    });

    it('replace reports every invalid field of a Service', async () => {
      expect(await session.ok('replace -f -', serviceManifest('ports: [{port: 90}]'))).toBe('service/filed replaced\n');
      const refusal = await session.fails('replace -f -', serviceManifest('type: Wrong\n  ports: [{port: 0}]'));
      expect(refusal).toMatch(/spec\.ports\[0\]\.port: Invalid value: 0: must be between 1 and 65535, inclusive/);
      expect(refusal).toMatch(
        /spec\.type: Unsupported value: "Wrong": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"/,
      );
      expect(await session.ok('delete service filed')).toMatch(/^service "filed" deleted/);
    });
  });

  describe('Ingresses', () => {
    it('get prints an IngressClass with its parameters', async () => {
      const name = session.namespace;
      await session.ok('create -f -', fixture('default-ingress-class.yaml', { NAME: name }));
      expect(parseTable(await session.ok(`get ingressclass ${name}`))).toEqual([
        ['NAME', 'CONTROLLER', 'PARAMETERS', 'AGE'],
        [name, 'example.com/ingress', 'Parameters.example.com/external', ANY_AGE],
      ]);
    });

    it('create ingress accepts every flag, and get prints the default class', async () => {
      const name = session.namespace;
      const rules = ['--rule=*.example.com/*=web:8080,tls=cert', '--rule=example.org/exact=web:http'];
      const flags = ['--class=nginx', '--default-backend=fallback:http', '--annotation=a=b', ...rules];
      expect(await session.ok(['create', 'ingress', 'all', ...flags])).toBe('ingress.networking.k8s.io/all created\n');
      expect(await session.ok('create ingress plain --rule=/=web:80 --dry-run=server -o name')).toBe('ingress.networking.k8s.io/plain\n');
      await session.ok('create ingress plain --rule=/=web:80');
      // A default class affects the whole server, also the sessions of other kubectls.
      await session.ok(`delete ingressclass ${name}`);
      expect(parseTable(await session.ok('get ingress -o wide'))).toEqual([
        ['NAME', 'CLASS', 'HOSTS', 'ADDRESS', 'PORTS', 'AGE'],
        // The column ADDRESS is empty, so the parsed row has one cell less.
        ['all', 'nginx', '*.example.com,example.org', '80, 443', ANY_AGE],
        ['plain', name, '*', '80', ANY_AGE],
      ]);
    });

    it('describe prints the rules of an ingress', async () => {
      expect(await session.ok('describe ingress all')).toMatch(
        new RegExp(
          [
            '\nIngress Class: +nginx\nDefault backend: +fallback:http .*\nTLS:\n  cert terminates \\*\\.example\\.com\nRules:\n.*\n.*\n',
            '  \\*\\.example\\.com +\n +/   web:8080 .*\n  example\\.org +\n +/exact   web:http .*\nAnnotations: +a: b\n',
          ].join(''),
        ),
      );
    });

    it('patch changes the class and the addresses of an ingress', async () => {
      expect(await session.ok('patch ingress plain --type=merge -p {"spec":{"ingressClassName":"other"}}')).toBe(
        'ingress.networking.k8s.io/plain patched\n',
      );
      const status = '{"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"lb.example.com"}]}}}';
      await session.ok(`patch ingress plain --subresource=status --type=merge -p ${status}`);
      expect(parseTable(await session.ok('get ing plain'))[1]).toEqual(['plain', 'other', '*', '1.2.3.4,lb.example.com', '80', ANY_AGE]);
    });

    it('create reports every invalid field of an ingress', async () => {
      const refusal = await session.fails('create ingress bad --class=X --rule=*/bar=Svc:8080,tls=A_');
      for (const field of ['rules[0].host', 'rules[0].http.paths[0].backend.service.name', 'tls[0].secretName', 'ingressClassName'])
        expect(refusal).toContain(`spec.${field}: Invalid value: `);
    });
  });

  describe('NetworkPolicies and endpoints', () => {
    it('describe prints the rules of a NetworkPolicy', async () => {
      await session.ok('create -f -', fixture('network-objects.yaml'));
      expect(await session.ok('describe networkpolicy db')).toMatch(
        /To Port Range: 8000-9000\/TCP\n {4}From:\n {6}IPBlock:\n {8}CIDR: 172\.17\.0\.0\/16\n {8}Except: 172\.17\.1\.0\/24\n/,
      );
    });

    it('get prints EndpointSlices, and describe prints Endpoints', async () => {
      expect(parseTable(await session.ok('get endpointslices -l kubernetes.io/service-name=web'))).toEqual([
        ['NAME', 'ADDRESSTYPE', 'PORTS', 'ENDPOINTS', 'AGE'],
        ['web-1', 'IPv4', '80', '10.1.2.3,10.1.2.4', ANY_AGE],
      ]);
      expect(await session.ok('describe endpoints web')).toMatch(/\n {2}Addresses: +10\.1\.2\.3\n {2}NotReadyAddresses: +10\.1\.2\.4\n/);
    });

    it('patch rejects invalid changes of endpoints', async () => {
      expect(await session.fails('patch endpointslice web-1 --type=merge -p {"addressType":"IPv6","endpoints":null}')).toBe(
        'The EndpointSlice "web-1" is invalid: addressType: Invalid value: "IPv6": field is immutable\n',
      );
      expect(await session.fails('patch endpoints web --type=merge -p {"subsets":[{"addresses":[{"ip":"::ffff:127.0.0.1"}]}]}')).toBe(
        'The Endpoints "web" is invalid: subsets[0].addresses[0].ip: Invalid value: "::ffff:127.0.0.1": ' +
          'may not be in the loopback range (127.0.0.0/8, ::1/128)\n',
      );
    });
  });
});
