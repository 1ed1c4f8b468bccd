/**
 * Changes of objects with real kubectl: client-side and server-side apply, field ownership, pruning, diff, edit,
 * replace, set, label, annotate, rollout. Each step asserts the output of kubectl or the stored object, and later steps
 * of a block use the objects of earlier ones.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runClient } from '../../support/external/kubectl';
import { describeWithKubectl } from '../../support/external/kubectl-session';
import { useFolder } from '../../support/use-resource';

/** The Deployment `shop`; without `replicas` the server has to set their number. */
const deployment = (image: string, replicas?: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, labels: {app: shop}}
spec:${replicas === undefined ? '' : `\n  replicas: ${replicas}`}
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: web, image: "${image}", ports: [{containerPort: 80, name: http}], env: [{name: MODE, value: live}]}
`;

/** The ConfigMap `settings`. */
const settings = (data: Record<string, string>, labels = '{set: a}'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, labels: ${labels}}\ndata: ${JSON.stringify(data)}\n`;

describeWithKubectl('updates', (session) => {
  const folder = useFolder('editor');
  /** The Deployment without the environment of its container. */
  const withoutEnvironment = (image: string): string => deployment(image).replace(', env: [{name: MODE, value: live}]', '');

  describe('apply by the client', () => {
    it('reports whether an object is created, unchanged or configured', async () => {
      expect(await session.ok('apply -f -', deployment('shop:1', 2))).toBe('deployment.apps/shop created\n');
      expect(await session.ok('apply -f -', deployment('shop:1', 2))).toBe('deployment.apps/shop unchanged\n');
      expect(await session.ok('apply -f -', deployment('shop:2', 2))).toBe('deployment.apps/shop configured\n');
    });

    it('removes the fields that the file no longer has, and keeps those that it never had', async () => {
      await session.ok('set env deployment/shop EXTRA=yes');
      await session.ok('label deployment/shop tier=front');
      expect(await session.ok('apply -f -', withoutEnvironment('shop:2'))).toBe('deployment.apps/shop configured\n');
      // The list that the file no longer has is removed as a whole; the label that the file never had remains.
      expect(await session.ok('get deployment shop -o jsonpath={.spec.template.spec.containers[0].env}')).toBe('');
      expect(await session.jsonPath('get deployment shop', '.metadata.labels')).toEqual({ app: 'shop', tier: 'front' });
      // The field that the file no longer has gets its default.
      expect(await session.ok('get deployment shop -o jsonpath={.spec.replicas}')).toBe('1');
    });

    it('is preceded by a diff, which is empty afterwards', async () => {
      expect((await session.run('diff -f -', withoutEnvironment('shop:2'))).code).toBe(0);
      const changed = await session.run('diff -f -', withoutEnvironment('shop:3'));
      expect(changed.code).toBe(1);
      expect(changed.stdout).toMatch(/^-\s+(- )?image: shop:2$/m);
      expect(changed.stdout).toMatch(/^\+\s+(- )?image: shop:3$/m);
      expect(await session.ok('get deployment shop -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('shop:2');
    });

    it('prunes objects that are no longer in the applied set', async () => {
      const twoConfigMaps = `${settings({ a: '1' })}---\n${settings({ b: '1' }).replace('name: settings', 'name: more')}`;
      expect(await session.ok('apply -f - --prune -l set=a --prune-allowlist=core/v1/ConfigMap', twoConfigMaps)).toBe(
        'configmap/settings created\nconfigmap/more created\n',
      );
      expect(await session.ok('apply -f - --prune -l set=a --prune-allowlist=core/v1/ConfigMap', settings({ a: '1' }))).toBe(
        'configmap/settings unchanged\nconfigmap/more pruned\n',
      );
      expect(await session.ok('get configmap more --ignore-not-found')).toBe('');
    });
  });

  describe('apply by the server', () => {
    /** The ConfigMap `owned`. */
    const owned = (data: Record<string, string>, labels = '{}'): string => settings(data, labels).replace('settings', 'owned');
    const ofManagerTwo = owned({ colour: 'red' });

    it('reports a conflict with another manager', async () => {
      const ofManagerOne = owned({ colour: 'blue', size: '1' }, '{kept: "yes"}');
      expect(await session.ok('apply --server-side --field-manager=one -f -', ofManagerOne)).toBe('configmap/owned serverside-applied\n');
      const refusal = await session.fails('apply --server-side --field-manager=two -f -', ofManagerTwo);
      expect(refusal).toContain('Apply failed with 1 conflict: conflict with "one": .data.colour');
      expect(refusal).toContain('Please review the fields above--they currently have other managers.');
    });

    it('takes over fields when it is forced', async () => {
      expect(await session.ok('apply --server-side --field-manager=two --force-conflicts -f -', ofManagerTwo)).toBe(
        'configmap/owned serverside-applied\n',
      );
      expect(await session.jsonPath('get configmap owned', '.data')).toEqual({ colour: 'red', size: '1' });
    });

    it('removes fields that it no longer applies, unless another manager owns them', async () => {
      await session.ok('apply --server-side --field-manager=one -f -', owned({ shape: 'round' }));
      expect(await session.jsonPath('get configmap owned', '.data')).toEqual({ colour: 'red', shape: 'round' });
      const managers = await session.ok([
        'get',
        'configmap',
        'owned',
        '--show-managed-fields',
        '-o',
        'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation}{"\\n"}{end}',
      ]);
      expect(managers.trim().split('\n').sort()).toEqual(['one Apply', 'two Apply']);
    });

    it('takes over from apply by the client', async () => {
      const configMap = (data: Record<string, string>): string => settings(data, '{}').replace('settings', 'migrated');
      await session.ok('apply -f -', configMap({ a: '1', b: '1' }));
      expect(await session.ok('apply --server-side -f -', configMap({ a: '1' }))).toBe('configmap/migrated serverside-applied\n');
      expect(await session.jsonPath('get configmap migrated', '.data')).toEqual({ a: '1' });
      expect(await session.ok('apply --server-side --dry-run=server -f -', configMap({ a: '2' }))).toBe(
        'configmap/migrated serverside-applied (server dry run)\n',
      );
      expect(await session.jsonPath('get configmap migrated', '.data')).toEqual({ a: '1' });
    });
  });

  describe('other commands', () => {
    it('label reports what it changed', async () => {
      await session.ok('create configmap plain --from-literal=a=1');
      expect(await session.ok('label configmap plain tier=front')).toBe('configmap/plain labeled\n');
      expect(await session.ok('label configmap plain tier=front')).toBe('configmap/plain not labeled\n');
      expect(await session.fails('label configmap plain tier=back')).toBe(
        "error: 'tier' already has a value (front), and --overwrite is false\n",
      );
      expect(await session.ok('label configmap plain tier=back --overwrite')).toBe('configmap/plain labeled\n');
      expect(await session.ok('label configmap plain tier-')).toBe('configmap/plain unlabeled\n');
    });

    it('annotate fails at an older resource version', async () => {
      expect(await session.ok('annotate configmap plain note=hello')).toBe('configmap/plain annotated\n');
      const stale = await session.fails('annotate configmap plain note=later --overwrite --resource-version=1');
      expect(stale).toContain('the object has been modified; please apply your changes to the latest version and try again');
    });

    it('patch reports what it changed', async () => {
      const merge = ['patch', 'configmap', 'plain', '--type=merge', '-p', '{"data":{"a":null,"b":"2"}}'];
      expect(await session.ok(merge)).toBe('configmap/plain patched\n');
      expect(await session.ok(merge)).toBe('configmap/plain patched (no change)\n');
      const operations = '[{"op":"test","path":"/data/b","value":"2"},{"op":"move","from":"/data/b","path":"/data/c"}]';
      await session.ok(['patch', 'configmap', 'plain', '--type=json', '-p', operations]);
      expect(await session.jsonPath('get configmap plain', '.data')).toEqual({ c: '2' });
      expect(await session.fails(['patch', 'configmap', 'plain', '--type=json', '-p', operations])).toContain('The request is invalid');
    });

    it('replace fails after another change and recreates the object when it is forced', async () => {
      const read = await session.ok('get configmap plain -o json');
      expect(await session.ok('replace -f -', read.replace('"2"', '"3"'))).toBe('configmap/plain replaced\n');
      expect(await session.fails('replace -f -', read.replace('"2"', '"4"'))).toContain('(Conflict)');
      const uidOf = (): Promise<string> => session.ok('get configmap plain -o jsonpath={.metadata.uid}');
      const uid = await uidOf();
      expect(await session.ok('replace --force -f -', settings({ z: '1' }).replace('settings', 'plain'))).toBe(
        'configmap "plain" deleted\nconfigmap/plain replaced\n',
      );
      expect(await uidOf()).not.toBe(uid);
    });

    it('set changes the pod template of a Deployment', async () => {
      expect(await session.ok('set image deployment/shop web=shop:9')).toBe('deployment.apps/shop image updated\n');
      expect(await session.ok('set resources deployment/shop --limits=cpu=200m,memory=64Mi')).toBe(
        'deployment.apps/shop resource requirements updated\n',
      );
      expect(await session.ok('set env deployment/shop MODE=test')).toBe('deployment.apps/shop env updated\n');
      expect(await session.ok('set serviceaccount deployment/shop default')).toBe('deployment.apps/shop serviceaccount updated\n');
      const { template } = (await session.json<{ spec: { template: object } }>('get deployment shop')).spec;
      const container = { image: 'shop:9', resources: { limits: { cpu: '200m', memory: '64Mi' } } };
      expect(template).toMatchObject({ spec: { serviceAccountName: 'default', containers: [container] } });
    });

    it('rollout restarts, pauses and resumes a Deployment', async () => {
      expect(await session.ok('rollout restart deployment/shop')).toBe('deployment.apps/shop restarted\n');
      expect(await session.ok('rollout pause deployment/shop')).toBe('deployment.apps/shop paused\n');
      expect(await session.fails('rollout pause deployment/shop')).toBe('error: deployments.apps "shop" is already paused\n');
      expect(await session.ok('rollout resume deployment/shop')).toBe('deployment.apps/shop resumed\n');
    });

    it('scale changes the replicas of a Deployment', async () => {
      expect(await session.ok('scale deployment/shop --replicas=4')).toBe('deployment.apps/shop scaled\n');
      expect(await session.ok('get deployment shop -o jsonpath={.spec.replicas}')).toBe('4');
    });

    it('edit stores the changes of an editor, and nothing when there are none', async () => {
      const editor = path.join(folder, 'editor.sh');
      writeFileSync(editor, '#!/bin/sh\nsed -i "s/shop:9/shop:10/" "$1"\n');
      chmodSync(editor, 0o755);
      const command = [`KUBE_EDITOR=${editor}`, session.binary, '-n', session.namespace, 'edit', 'deployment', 'shop'];
      const edit = () => runClient('/usr/bin/env', session.kubeconfig, command);
      expect(await edit()).toMatchObject({ code: 0, stdout: 'deployment.apps/shop edited\n' });
      expect(await edit()).toMatchObject({ code: 0, stderr: 'Edit cancelled, no changes made.\n' });
      expect(await session.ok('get deployment shop -o jsonpath={.spec.template.spec.containers[0].image}')).toBe('shop:10');
    });
  });
});
