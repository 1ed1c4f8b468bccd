/**
 * A person's session with real kubectl about Services: creating each type, exposing, patching, applying, editing, describing. What kubectl prints
 * was compared with release 1.31.1.
 */
import { table, withEachKubectl, type KubectlSession } from '../support/kubectl-session';

interface Service {
  readonly spec: {
    readonly type: string;
    readonly clusterIP?: string;
    readonly ports: readonly { readonly port: number; readonly targetPort: number; readonly nodePort?: number }[];
  };
}

const manifest = (spec: string): string => `
apiVersion: v1
kind: Service
metadata: {name: filed}
spec:
  selector: {app: filed}
  ${spec}
`;

withEachKubectl('Services', (current) => {
  const service = async (name: string): Promise<Service['spec']> => (await current().json<Service>(`get service ${name}`)).spec;

  beforeAll(async () => {
    const session = current();
    await session.ok('create service clusterip web --tcp=80:8080 --tcp=443:8443');
    await session.ok('create service clusterip headless --clusterip=None');
    await session.ok('create service nodeport np --tcp=80:8080');
    await session.ok('create service loadbalancer lb --tcp=80:8080');
    await session.ok('create service externalname ext --external-name=db.example.com');
  }, 30_000);

  it('shows each type', async () => {
    const rows = table(await current().ok('get services'));
    expect(rows.map((row) => row.slice(0, 5))).toEqual([
      ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)'],
      ['ext', 'ExternalName', '<none>', 'db.example.com', '<none>'],
      ['headless', 'ClusterIP', 'None', '<none>', '<none>'],
      ['lb', 'LoadBalancer', expect.stringMatching(/^10\./), '<pending>', expect.stringMatching(/^80:3\d{4}\/TCP$/)],
      ['np', 'NodePort', expect.stringMatching(/^10\./), '<none>', expect.stringMatching(/^80:3\d{4}\/TCP$/)],
      ['web', 'ClusterIP', expect.stringMatching(/^10\./), '<none>', '80/TCP,443/TCP'],
    ]);
  });

  it('says why an address or a port cannot be had', async () => {
    const session = current();
    const { clusterIP = '' } = await service('web');
    expect(await session.fails(`create service clusterip taken --tcp=80 --clusterip=${clusterIP}`)).toBe(
      `error: failed to create ClusterIP service: Service "taken" is invalid: spec.clusterIPs: Invalid value: []string{"${clusterIP}"}: ` +
        `failed to allocate IP ${clusterIP}: provided IP is already allocated\n`,
    );
    expect(await session.fails('create service nodeport low --tcp=80 --node-port=80')).toMatch(
      /spec\.ports\[0\]\.nodePort: Invalid value: 80: provided port is not in the valid range\. The range of valid ports is 30000-32767\n$/,
    );
    const { ports } = await service('np');
    expect(await session.fails(`create service nodeport np2 --tcp=80 --node-port=${ports[0]?.nodePort ?? 0}`)).toMatch(
      /provided port is already allocated\n$/,
    );
  });

  it('a dry run makes nothing', async () => {
    const session = current();
    expect(await session.ok('create service clusterip dry --tcp=80 --dry-run=server -o name')).toBe('service/dry\n');
    expect(await session.fails('get service dry')).toMatch(/"dry" not found/);
  });

  it('exposes what runs', async () => {
    const session = current();
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

  it('describes families and policies', async () => {
    const description = await current().ok('describe service web');
    for (const line of [/^IP Family Policy: +SingleStack$/m, /^IP Families: +IPv4$/m, /^Internal Traffic Policy: +Cluster$/m])
      expect(description).toMatch(line);
  });

  it('patches from type to type and keeps the address', async () => {
    const session = current();
    const before = await service('web');
    await session.ok(['patch', 'service', 'web', '-p', '{"spec":{"ports":[{"port":80,"targetPort":9090}]}}']);
    await session.ok(['patch', 'service', 'web', '--type=merge', '-p', '{"spec":{"type":"NodePort"}}']);
    const between = await service('web');
    expect(between.ports.map(({ port, targetPort }) => [port, targetPort])).toEqual([
      [80, 9090],
      [443, 8443],
    ]);
    expect(between.ports.every(({ nodePort = 0 }) => nodePort >= 30_000)).toBe(true);
    await session.ok(['patch', 'service', 'web', '--type=json', '-p', '[{"op":"replace","path":"/spec/type","value":"ClusterIP"}]']);
    const after = await service('web');
    expect(after.clusterIP).toBe(before.clusterIP);
    expect(after.ports.every(({ nodePort }) => nodePort === undefined)).toBe(true);
    // Its own was given to it by chance.
    const other = after.clusterIP === '10.0.0.250' ? '10.0.0.251' : '10.0.0.250';
    const [, refused] =
      /spec\.clusterIPs\[0\]: Invalid value: \[\]string\{"([\d.]+)"\}: may not change once set\n$/.exec(
        await session.fails(['patch', 'service', 'web', '--type=merge', '-p', `{"spec":{"clusterIP":"${other}"}}`]),
      ) ?? [];
    expect(refused).toBe(other);
  });

  it('shows the address that a load balancer was given', async () => {
    const session = current();
    const patch = (ip: string): string[] => [
      ...['patch', 'service', 'lb', '--subresource=status', '--type=merge', '-p'],
      JSON.stringify({ status: { loadBalancer: { ingress: [{ ip }] } } }),
    ];
    await session.ok(patch('192.0.2.50'));
    expect(table(await session.ok('get service lb'))[1]?.[3]).toBe('192.0.2.50');
    expect(await session.fails(patch('x'))).toMatch(
      /status\.loadBalancer\.ingress\[0\]\.ip: Invalid value: "x": must be a valid IP address/,
    );
  });

  it('applies a file again and again', async () => {
    const session = current();
    const apply = (spec: string, ...flags: string[]): Promise<string> => session.ok(['apply', ...flags, '-f', '-'], manifest(spec));
    expect(await apply('ports: [{name: http, port: 80, targetPort: 8080}]')).toBe('service/filed created\n');
    expect(await apply('ports: [{name: http, port: 80, targetPort: 8080}]')).toBe('service/filed unchanged\n');
    expect(await apply('type: NodePort\n  ports: [{name: http, port: 81, targetPort: 8080}]')).toBe('service/filed configured\n');
    expect((await service('filed')).ports[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    await apply('ports: [{name: http, port: 81, targetPort: 8080}]');
    const { type, ports } = await service('filed');
    expect([type, ports]).toEqual(['ClusterIP', [{ name: 'http', port: 81, protocol: 'TCP', targetPort: 8080 }]]);
    const flags = ['--server-side', '--field-manager=x', '--force-conflicts'];
    expect(await apply('ports: [{name: http, port: 81}]', ...flags)).toBe('service/filed serverside-applied\n');
    await replaceAndRefuse(session);
  });

  async function replaceAndRefuse(session: KubectlSession): Promise<void> {
    expect(await session.ok('replace -f -', manifest('ports: [{port: 90}]'))).toBe('service/filed replaced\n');
    const refused = await session.fails('replace -f -', manifest('type: Wrong\n  ports: [{port: 0}]'));
    expect(refused).toMatch(/spec\.ports\[0\]\.port: Invalid value: 0: must be between 1 and 65535, inclusive/);
    expect(refused).toMatch(
      /spec\.type: Unsupported value: "Wrong": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"/,
    );
    expect(await session.ok('delete service filed')).toMatch(/^service "filed" deleted/);
  }
});
