/**
 * Custom resources with real kubectl: a definition is applied and awaited, its objects are checked by client and server, applied both ways, explained,
 * printed, scaled, watched, and go with the definition. What every step expects was first seen on release 1.31.1.
 */
import { withEachKubectl, table, type KubectlSession } from '../support/kubectl-session';

const groupOf = ({ namespace }: KubectlSession): string => `${namespace}.example.com`;

const definition = (group: string, plural: string, kind: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind}, shortNames: [${plural.slice(0, 2)}]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Image, type: string, jsonPath: .spec.image, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        description: A tool that somebody runs.
        required: [spec]
        properties:
          spec:
            type: object
            description: What is wanted.
            required: [image]
            properties:
              image: {type: string, description: Where it comes from., minLength: 1}
              replicas: {type: integer, minimum: 0, default: 1}
              mode: {type: string, enum: [fast, safe]}
              env:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, value: {type: string}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              conditions:
                type: array
                items: {type: object, properties: {type: {type: string}, status: {type: string}}}
`;

const tool = (group: string, spec: string): string => `apiVersion: ${group}/v1\nkind: Tool\nmetadata: {name: hammer}\nspec: ${spec}\n`;

withEachKubectl('custom resources', (current) => {
  it('are known once their definition is established', async () => {
    const session = current();
    const group = groupOf(session);
    expect(await session.ok('apply -f -', definition(group, 'tools', 'Tool'))).toBe(
      `customresourcedefinition.apiextensions.k8s.io/tools.${group} created\n`,
    );
    await session.ok(`wait --for=condition=Established crd/tools.${group} --timeout=20s`);
    expect(await session.ok('apply -f -', definition(group, 'tools', 'Tool'))).toContain('unchanged');
    expect(table(await session.ok(`api-resources --api-group=${group} --no-headers`))).toEqual([
      ['tools', 'to', `${group}/v1`, 'true', 'Tool'],
    ]);
    expect(await session.ok('get tools')).toBe('');
  });

  it('are held to the schema by client and server', async () => {
    const session = current();
    const group = groupOf(session);
    const strict = ['create', '--validate=strict', '-f', '-'];
    expect(await session.fails(strict, tool(group, '{image: x, imgae: y}'))).toContain('unknown field "spec.imgae"');
    const refused = await session.fails('create -f -', tool(group, '{image: "", mode: slow, replicas: -1}'));
    for (const cause of [
      'spec.image: Invalid value: "": spec.image in body should be at least 1 chars long',
      'spec.mode: Unsupported value: "slow": supported values: "fast", "safe"',
      'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
    ]) {
      expect(refused).toContain(cause);
    }
    expect(await session.fails('create -f - --dry-run=server', tool(group, '{mode: fast}'))).toContain('spec.image: Required value');
  });

  it('are explained from the schema', async () => {
    const session = current();
    const group = groupOf(session);
    const explained = await session.ok(`explain tools.spec --api-version=${group}/v1`);
    expect(explained).toContain(`GROUP:      ${group}\nKIND:       Tool\nVERSION:    v1\n`);
    expect(explained).toContain('What is wanted.');
    expect(explained).toMatch(/image\t<string> -required-\n {4}Where it comes from\./);
    expect(await session.ok(`explain tools.spec.env.value --api-version=${group}/v1`)).toContain('FIELD: value <string>');
  });

  it('are applied from the client and on the server, item by item', async () => {
    const session = current();
    const group = groupOf(session);
    expect(await session.ok('apply -f -', tool(group, '{image: "h:1", env: [{name: A, value: "1"}]}'))).toBe(
      `tool.${group}/hammer created\n`,
    );
    expect(await session.ok('apply -f -', tool(group, '{image: "h:2", env: [{name: A, value: "1"}]}'))).toBe(
      `tool.${group}/hammer configured\n`,
    );
    await session.ok('delete tool hammer');
    const as = (manager: string): string[] => ['apply', '--server-side', `--field-manager=${manager}`, '-f', '-'];
    await session.ok(as('one'), tool(group, '{image: "h:2", env: [{name: A, value: "1"}]}'));
    expect(await session.ok(as('other'), tool(group, '{image: "h:2", env: [{name: B, value: "2"}]}'))).toBe(
      `tool.${group}/hammer serverside-applied\n`,
    );
    expect(JSON.parse(await session.ok('get tool hammer -o jsonpath={.spec}'))).toEqual({
      image: 'h:2',
      replicas: 1,
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    });
    const conflict = await session.fails(as('other'), tool(group, '{image: "h:3"}'));
    expect(conflict).toContain('Apply failed with 1 conflict: conflict with "one": .spec.image');
    expect(await session.ok([...as('other'), '--force-conflicts'], tool(group, '{image: "h:3"}'))).toContain('serverside-applied');
    // What the other manager no longer applies is gone.
    expect(await session.ok('get tool hammer -o jsonpath={.spec.env[*].name}')).toBe('A');
  });

  it('are printed with their columns, patched, labelled and scaled', async () => {
    const session = current();
    const ready = '{"status":{"replicas":1,"conditions":[{"type":"Busy","status":"False"},{"type":"Ready","status":"True"}]}}';
    await session.ok(['patch', 'tool', 'hammer', '--subresource=status', '--type=merge', '-p', ready]);
    expect(table(await session.ok('get to'))).toEqual([
      ['NAME', 'READY', 'AGE'],
      ['hammer', 'True', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(table(await session.ok('get tools hammer -o wide --no-headers'))[0]?.slice(0, 3)).toEqual(['hammer', 'True', 'h:3']);
    await session.ok('label tool hammer shelf=top');
    await session.ok('annotate tool hammer note=x');
    expect(await session.ok('get tools -l shelf=top -o name')).toMatch(/\/hammer\n$/);
    expect(await session.ok('scale tool hammer --replicas=4')).toContain('scaled');
    expect(await session.ok('get tool hammer -o jsonpath={.spec.replicas}/{.metadata.generation}')).toMatch(/^4\/\d$/);
    expect(await session.fails('scale tool hammer --replicas=4 --current-replicas=9')).toContain('Expected replicas to be 9, was 4');
    await session.ok(['wait', 'tool/hammer', '--for=jsonpath={.status.replicas}=1', '--timeout=10s']);
    expect(await session.ok('describe tool hammer')).toContain('Image:');
  });

  it('go with their definition', async () => {
    const session = current();
    const group = groupOf(session);
    expect(await session.ok(`delete crd tools.${group} --timeout=30s`)).toContain('deleted');
    // Which of the two is said depends on what kubectl remembers of its last discovery.
    expect(await session.fails('get tools')).toMatch(
      /the server could not find the requested resource|doesn't have a resource type "tools"/,
    );
  });
});
