/** Names and spellings of node selectors that a namespace sets for its pods. */
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

test('PodNodeSelector treats constructor and toString as ordinary namespace names and label keys', async () => {
  const fixture = await openWriteFixture({ naming: 'kubernetes', plugins: { enabled: ['PodNodeSelector'], disabled: ['ServiceAccount'] } });
  const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'constructor=x,toString=y' };
  await fixture.create('namespaces', { metadata: { name: 'constructor', annotations } }, { namespace: '' });
  await fixture.cache.catchUp();
  const pod = { metadata: { name: 'p', namespace: 'constructor' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const { object } = await fixture.create('pods', pod, { namespace: 'constructor' });
  expect(object).toMatchObject({ spec: { nodeSelector: { constructor: 'x', toString: 'y' } } });
});

test('PodNodeSelector compares the labels of a pod in either spelling with the node selector of its namespace', async () => {
  const fixture = await openWriteFixture({ plugins: { enabled: ['PodNodeSelector'], disabled: ['ServiceAccount'] } });
  const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'kubernetes.io/os=linux' };
  await fixture.create('namespaces', { metadata: { name: 'n', annotations } }, { namespace: '' });
  await fixture.cache.catchUp();
  const create = (os: string) => {
    const spec = { containers: [{ name: 'c', image: 'i' }], nodeSelector: { 'platform.io/os': os } };
    return fixture.create('pods', { metadata: { name: os, namespace: 'n' }, spec }, { namespace: 'n' });
  };
  await expect(create('windows')).rejects.toThrow('pod node label selector conflicts with its namespace node label selector');
  const { object } = await create('linux');
  expect(object).toMatchObject({ spec: { nodeSelector: { 'kubernetes.io/os': 'linux', 'platform.io/os': 'linux' } } });
});
