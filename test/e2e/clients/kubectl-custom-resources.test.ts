/**
 * Custom resources with real kubectl: definitions and their objects, applied, explained, printed, scaled, watched,
 * converted by a webhook, and deleted. Every step expects the output with release 1.31.1, and continues with the objects
 * of earlier steps of its block.
 */
import { startConversionServer, type ConversionServer } from '../../support/servers/conversion-server';
import { parseTable, describeWithKubectl } from '../../support/external/kubectl-session';
import { waitUntil } from '../../support/programs';
import { useClosable } from '../../support/use-resource';
import { fixture } from '../fixture';

const toolDefinition = (GROUP: string): string => fixture('tool-definition.yaml', { GROUP });

/** A Tool with this spec. */
const tool = (group: string, spec: string): string => `apiVersion: ${group}/v1\nkind: Tool\nmetadata: {name: hammer}\nspec: ${spec}\n`;

const SHELF_SCHEMA = '{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}';
const shelfDefinition = (GROUP: string, SCHEMA = SHELF_SCHEMA): string => fixture('shelf-definition.yaml', { GROUP, SCHEMA });

const widgetDefinition = (GROUP: string, { port, caBundle }: ConversionServer): string =>
  fixture('widget-definition.yaml', { GROUP, PORT: String(port), CA_BUNDLE: caBundle });

const widget = (group: string, version: string, spec: string): string =>
  `apiVersion: ${group}/${version}\nkind: Widget\nmetadata: {name: a}\nspec: ${spec}\n`;

describeWithKubectl('custom resources', (session) => {
  describe('custom objects', () => {
    const group = `${session.namespace}.example.com`;

    it('are served once their definition is established', async () => {
      expect(await session.ok('apply -f -', toolDefinition(group))).toBe(
        `customresourcedefinition.apiextensions.k8s.io/tools.${group} created\n`,
      );
      await session.ok(`wait --for=condition=Established crd/tools.${group} --timeout=20s`);
      expect(await session.ok('apply -f -', toolDefinition(group))).toContain('unchanged');
      expect(parseTable(await session.ok(`api-resources --api-group=${group} --no-headers`))).toEqual([
        ['tools', 'to', `${group}/v1`, 'true', 'Tool'],
      ]);
      expect(await session.ok('get tools')).toBe('');
    });

    it('are validated against the schema by client and server', async () => {
      const strict = ['create', '--validate=strict', '-f', '-'];
      expect(await session.fails(strict, tool(group, '{image: x, imgae: y}'))).toContain('unknown field "spec.imgae"');
      const refusal = await session.fails('create -f -', tool(group, '{image: "", mode: slow, replicas: -1}'));
      for (const cause of [
        'spec.image: Invalid value: "": spec.image in body should be at least 1 chars long',
        'spec.mode: Unsupported value: "slow": supported values: "fast", "safe"',
        'spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
      ]) {
        expect(refusal).toContain(cause);
      }
      expect(await session.fails('create -f - --dry-run=server', tool(group, '{mode: fast}'))).toContain('spec.image: Required value');
    });

    it('are explained by their schema', async () => {
      const explained = await session.ok(`explain tools.spec --api-version=${group}/v1`);
      expect(explained).toContain(`GROUP:      ${group}\nKIND:       Tool\nVERSION:    v1\n`);
      expect(explained).toContain('What is wanted.');
      expect(explained).toMatch(/image\t<string> -required-\n {4}Where it comes from\./);
      expect(await session.ok(`explain tools.spec.env.value --api-version=${group}/v1`)).toContain('FIELD: value <string>');
    });

    it('are applied by the client', async () => {
      expect(await session.ok('apply -f -', tool(group, '{image: "h:1", env: [{name: A, value: "1"}]}'))).toBe(
        `tool.${group}/hammer created\n`,
      );
      expect(await session.ok('apply -f -', tool(group, '{image: "h:2", env: [{name: A, value: "1"}]}'))).toBe(
        `tool.${group}/hammer configured\n`,
      );
      await session.ok('delete tool hammer');
    });

    const applyAs = (manager: string): string[] => ['apply', '--server-side', `--field-manager=${manager}`, '-f', '-'];

    it('are applied by the server, which merges the items of two managers', async () => {
      await session.ok(applyAs('one'), tool(group, '{image: "h:2", env: [{name: A, value: "1"}]}'));
      expect(await session.ok(applyAs('other'), tool(group, '{image: "h:2", env: [{name: B, value: "2"}]}'))).toBe(
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
    });

    it('are applied over a conflict with --force-conflicts', async () => {
      const conflict = await session.fails(applyAs('other'), tool(group, '{image: "h:3"}'));
      expect(conflict).toContain('Apply failed with 1 conflict: conflict with "one": .spec.image');
      expect(await session.ok([...applyAs('other'), '--force-conflicts'], tool(group, '{image: "h:3"}'))).toContain('serverside-applied');
      // The item that the other manager no longer applies is removed.
      expect(await session.ok('get tool hammer -o jsonpath={.spec.env[*].name}')).toBe('A');
    });

    it('are printed with their columns', async () => {
      const ready = '{"status":{"replicas":1,"conditions":[{"type":"Busy","status":"False"},{"type":"Ready","status":"True"}]}}';
      await session.ok(['patch', 'tool', 'hammer', '--subresource=status', '--type=merge', '-p', ready]);
      expect(parseTable(await session.ok('get to'))).toEqual([
        ['NAME', 'READY', 'AGE'],
        ['hammer', 'True', expect.stringMatching(/^\d+s$/)],
      ]);
      expect(parseTable(await session.ok('get tools hammer -o wide --no-headers'))[0]?.slice(0, 3)).toEqual(['hammer', 'True', 'h:3']);
    });

    it('are labelled and annotated', async () => {
      await session.ok('label tool hammer shelf=top');
      await session.ok('annotate tool hammer note=x');
      expect(await session.ok('get tools -l shelf=top -o name')).toMatch(/\/hammer\n$/);
    });

    it('are scaled', async () => {
      expect(await session.ok('scale tool hammer --replicas=4')).toContain('scaled');
      expect(await session.ok('get tool hammer -o jsonpath={.spec.replicas}/{.metadata.generation}')).toMatch(/^4\/\d$/);
      expect(await session.fails('scale tool hammer --replicas=4 --current-replicas=9')).toContain('Expected replicas to be 9, was 4');
    });

    it('are waited for by a field of their status', async () => {
      await session.ok(['wait', 'tool/hammer', '--for=jsonpath={.status.replicas}=1', '--timeout=10s']);
    });

    it('are described', async () => {
      expect(await session.ok('describe tool hammer')).toContain('Image:');
    });

    it('are deleted with their definition', async () => {
      expect(await session.ok(`delete crd tools.${group} --timeout=30s`)).toContain('deleted');
      // The message depends on the discovery cache of kubectl.
      expect(await session.fails('get tools')).toMatch(
        /the server could not find the requested resource|doesn't have a resource type "tools"/,
      );
    });
  });

  describe('definitions', () => {
    const group = `definitions.${session.namespace}.example.com`;
    /** As kubectl prints it. */
    const name = `customresourcedefinition.apiextensions.k8s.io/shelves.${group}`;

    it('are printed once they are applied', async () => {
      expect(await session.ok('apply -f -', shelfDefinition(group))).toBe(`${name} created\n`);
      const [columns, row] = parseTable(await session.ok(`get crd shelves.${group}`));
      expect([columns, row]).toEqual([
        ['NAME', 'CREATED AT'],
        [`shelves.${group}`, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)],
      ]);
      expect(await session.ok(`get crds shelves.${group} -o jsonpath={.spec.names.listKind}/{.status.storedVersions}`)).toBe(
        'ShelfList/["v1"]',
      );
    });

    it('are changed by another apply', async () => {
      expect(await session.ok('apply -f -', shelfDefinition(group, '{type: object, x-kubernetes-preserve-unknown-fields: true}'))).toBe(
        `${name} configured\n`,
      );
    });

    it('are listed in their category', async () => {
      expect(await session.ok('get api-extensions -o name')).toContain(`${name}\n`);
    });

    it('are rejected with the invalid field or the unknown field', async () => {
      const refusal = await session.fails('apply -f -', shelfDefinition(group, '{type: object, properties: {spec: {}}}'));
      expect(refusal).toContain(
        `The CustomResourceDefinition "shelves.${group}" is invalid: ` +
          'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
      );
      const refusalOfUnknownField = await session.fails(
        'apply --validate=strict -f -',
        shelfDefinition(group).replace('scope: Cluster', 'scope: Cluster\n  skope: x'),
      );
      expect(refusalOfUnknownField).toContain('unknown field "spec.skope"');
    });

    it('are explained field by field', async () => {
      const fields = await session.ok('explain crd.spec --recursive');
      expect(fields).toContain('DESCRIPTION:\n    spec describes how the user wants the resources to appear');
      for (const line of [
        '  conversion\t<CustomResourceConversion>',
        '    schema\t<CustomResourceValidation>',
        '        additionalProperties\t<JSONSchemaPropsOrBool>',
        '        dependencies\t<map[string]JSONSchemaPropsOrStringArray>',
        '        enum\t<[]JSON>',
        '        x-kubernetes-validations\t<[]ValidationRule>',
        '          rule\t<string> -required-',
      ]) {
        expect(fields.split('\n')).toContain(line);
      }
      expect(await session.ok('explain crd.spec.versions.schema.openAPIV3Schema.enum')).toContain('FIELD: enum <[]JSON>');
    });

    it('do not disturb the validation of built-in kinds by kubectl', async () => {
      const binding = (more = ''): string =>
        `apiVersion: v1\nkind: Binding\nmetadata: {name: bound}\ntarget: {kind: Node, name: n1}\n${more}`;
      await session.ok('create -f -', 'apiVersion: v1\nkind: Pod\nmetadata: {name: bound}\nspec: {containers: [{name: c, image: i}]}\n');
      expect(await session.fails('create -f -', binding('tarkets: 1\n'))).toContain('unknown field "tarkets"');
      expect(await session.ok('create -f -', binding())).toContain('created');
      expect(await session.ok('get pod bound -o jsonpath={.spec.nodeName}')).toBe('n1');
    });

    it('disappear from kubectl after their deletion', async () => {
      expect(await session.ok(`delete crd shelves.${group} --timeout=30s`)).toContain('deleted');
      expect(await session.fails(`get crd shelves.${group}`)).toContain('(NotFound)');
    });
  });

  describe('custom objects of two versions', () => {
    const group = `${session.namespace}.example.com`;
    const webhook = useClosable(() => startConversionServer());

    it('are stored in one version and printed in both', async () => {
      await session.ok('apply -f -', widgetDefinition(group, webhook()));
      await session.ok(`wait --for=condition=Established crd/widgets.${group} --timeout=20s`);
      expect(await session.ok('apply -f -', widget(group, 'v1', '{address: "h:1"}'))).toBe(`widget.${group}/a created\n`);
      expect(parseTable(await session.ok(`get widgets.v1.${group}`))).toEqual([
        ['NAME', 'ADDRESS'],
        ['a', 'h:1'],
      ]);
      expect(parseTable(await session.ok(`get widgets.v2.${group}`))).toEqual([
        ['NAME', 'HOST', 'PORT'],
        ['a', 'h', '1'],
      ]);
      const yaml = await session.ok(`get widgets.v2.${group} a -o yaml`);
      expect(yaml).toContain(`apiVersion: ${group}/v2\n`);
      expect(yaml).toContain('spec:\n  host: h\n  port: 1\n');
    });

    it('are applied and patched in either version', async () => {
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
      const explained = (version: string, field: string): Promise<string> =>
        session.ok(`explain widgets.spec.${field} --api-version=${group}/${version}`);
      expect(await explained('v1', 'address')).toContain('Where it is found.');
      expect(await explained('v2', 'host')).toContain('On which machine.');
    });

    it('are watched in the version that is not stored', async () => {
      const watch = session.start(`get widgets.v2.${group} --watch -o jsonpath={.spec.host}:{.spec.port},`);
      await waitUntil('the first state', () => Promise.resolve(watch.output.includes('j:3,')));
      await session.ok(['patch', `widgets.v1.${group}`, 'a', '--type=merge', '-p', '{"spec":{"address":"k:4"}}']);
      await waitUntil('the change', () => Promise.resolve(watch.output.includes('k:4,')));
      await watch.stop();
    });

    it('cannot be read in the other version while the webhook fails', async () => {
      await session.ok(['patch', `widgets.v1.${group}`, 'a', '--type=merge', '-p', '{"spec":{"address":"l:5"}}']);
      webhook().behaviour = 'failure';
      expect(await session.fails(`get widgets.v2.${group}`)).toContain(`conversion webhook for ${group}/v1, Kind=Widget failed: no way`);
      webhook().behaviour = 'good';
      expect(await session.ok(`get widgets.v2.${group} a -o jsonpath={.spec.host}`)).toBe('l');
      await session.ok(`delete crd widgets.${group}`);
    });
  });
});
