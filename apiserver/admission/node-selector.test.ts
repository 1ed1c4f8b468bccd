import { writeFixture } from '../../test/support/write-fixture';

test('namespaces and labels may be called what every object inherits', async () => {
  const f = await writeFixture({ naming: 'kubernetes', plugins: { enabled: ['PodNodeSelector'], disabled: ['ServiceAccount'] } });
  const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': 'constructor=x,toString=y' };
  await f.create('namespaces', { metadata: { name: 'constructor', annotations } }, { namespace: '' });
  await f.cache.catchUp();
  const pod = { metadata: { name: 'p', namespace: 'constructor' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const { object } = await f.create('pods', pod, { namespace: 'constructor' });
  expect(object).toMatchObject({ spec: { nodeSelector: { constructor: 'x', toString: 'y' } } });
});
