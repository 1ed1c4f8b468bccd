/** Objects of two versions between which a webhook converts, with real kubectl: read, printed, applied, patched, explained and watched in the version that is not stored. */
import { startConversionServer, type ConversionServer } from '../support/conversion-server';
import { waitUntil } from '../support/programs';
import { table, withEachKubectl, type KubectlSession } from '../support/kubectl-session';

const groupOf = ({ namespace }: KubectlSession): string => `${namespace}.example.com`;

const definition = (group: string, { port, caBundle }: ConversionServer): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "https://127.0.0.1:${port}/convert", caBundle: ${caBundle}}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Address, type: string, jsonPath: .spec.address}]
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {address: {type: string, description: Where it is found.}}}}
  - name: v2
    served: true
    storage: false
    additionalPrinterColumns: [{name: Host, type: string, jsonPath: .spec.host}, {name: Port, type: integer, jsonPath: .spec.port}]
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {host: {type: string, description: On which machine.}, port: {type: integer}}}}
`;

const widget = (group: string, version: string, spec: string): string =>
  `apiVersion: ${group}/${version}\nkind: Widget\nmetadata: {name: a}\nspec: ${spec}\n`;

withEachKubectl('converted resources', (current) => {
  let webhook: ConversionServer;
  beforeAll(async () => (webhook = await startConversionServer()));
  afterAll(() => webhook.close());

  it('are stored in one version and shown in both', async () => {
    const session = current();
    const group = groupOf(session);
    await session.ok('apply -f -', definition(group, webhook));
    await session.ok(`wait --for=condition=Established crd/widgets.${group} --timeout=20s`);
    expect(await session.ok('apply -f -', widget(group, 'v1', '{address: "h:1"}'))).toBe(`widget.${group}/a created\n`);
    expect(table(await session.ok(`get widgets.v1.${group}`))).toEqual([
      ['NAME', 'ADDRESS'],
      ['a', 'h:1'],
    ]);
    expect(table(await session.ok(`get widgets.v2.${group}`))).toEqual([
      ['NAME', 'HOST', 'PORT'],
      ['a', 'h', '1'],
    ]);
    const yaml = await session.ok(`get widgets.v2.${group} a -o yaml`);
    expect(yaml).toContain(`apiVersion: ${group}/v2\n`);
    expect(yaml).toContain('spec:\n  host: h\n  port: 1\n');
  });

  it('are applied and patched in either version', async () => {
    const session = current();
    const group = groupOf(session);
    await session.ok('apply -f -', widget(group, 'v2', '{host: i, port: 2}'));
    expect(await session.ok(`get widgets.v1.${group} a -o jsonpath={.spec}`)).toBe('{"address":"i:2"}');
    await session.ok(['patch', `widgets.v2.${group}`, 'a', '--type=merge', '-p', '{"spec":{"port":3}}']);
    expect(await session.ok(`get widgets.v1.${group} a -o jsonpath={.spec.address}`)).toBe('i:3');
    const conflict = await session.fails('apply --server-side --field-manager=other -f -', widget(group, 'v2', '{host: j, port: 3}'));
    expect(conflict).toContain('.spec.host');
    await session.ok('apply --server-side --field-manager=other --force-conflicts -f -', widget(group, 'v2', '{host: j, port: 3}'));
    expect(await session.ok(`get widgets.v1.${group} a -o jsonpath={.spec.address}`)).toBe('j:3');
  });

  it('are explained in each version', async () => {
    const session = current();
    const group = groupOf(session);
    const explained = (version: string, field: string): Promise<string> =>
      session.ok(`explain widgets.spec.${field} --api-version=${group}/${version}`);
    expect(await explained('v1', 'address')).toContain('Where it is found.');
    expect(await explained('v2', 'host')).toContain('On which machine.');
  });

  it('are watched in the version that is not stored', async () => {
    const session = current();
    const group = groupOf(session);
    const watching = session.start(`get widgets.v2.${group} --watch -o jsonpath={.spec.host}:{.spec.port},`);
    await waitUntil('the first state', () => Promise.resolve(watching.output.includes('j:3,')));
    await session.ok(['patch', `widgets.v1.${group}`, 'a', '--type=merge', '-p', '{"spec":{"address":"k:4"}}']);
    await waitUntil('the change', () => Promise.resolve(watching.output.includes('k:4,')));
    await watching.stop();
  });

  it('are told of a webhook that fails', async () => {
    const session = current();
    const group = groupOf(session);
    await session.ok(['patch', `widgets.v1.${group}`, 'a', '--type=merge', '-p', '{"spec":{"address":"l:5"}}']);
    webhook.does = 'failure';
    expect(await session.fails(`get widgets.v2.${group}`)).toContain(`conversion webhook for ${group}/v1, Kind=Widget failed: no way`);
    webhook.does = 'good';
    expect(await session.ok(`get widgets.v2.${group} a -o jsonpath={.spec.host}`)).toBe('l');
    await session.ok(`delete crd widgets.${group}`);
  });
});
