/**
 * Deletion of PriorityClasses; every expectation but the last was observed at release 1.31.1, where deletecollection
 * deletes system classes.
 */
import { NO_OVERRIDES } from '../plugin-overrides';
import { SYSTEM_PRIORITY_CLASSES } from '../../../kinds/scheduling/priority-class';
import { openWriteFixture } from '../../../../test/support/store/write-fixture';

it('Priority rejects the deletion of a system priority class, and no other', async () => {
  const fixture = await openWriteFixture({ plugins: NO_OVERRIDES });
  for (const [name, object] of SYSTEM_PRIORITY_CLASSES) await fixture.create('priorityclasses', { ...object, metadata: { name } });
  await fixture.create('priorityclasses', { metadata: { name: 'mine' }, value: 1 });
  await fixture.cache.catchUp();
  const { writer, context } = fixture;
  const classes = fixture.resource('priorityclasses');
  const remove = (name: string, { dryRun } = { dryRun: false }) => writer.delete(context, classes, { namespace: '', name }, { dryRun });
  const rejection = {
    code: 403,
    message:
      'priorityclasses.scheduling.platform.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  };
  await expect(remove('system-node-critical')).rejects.toMatchObject({ status: rejection });
  await expect(remove('system-node-critical', { dryRun: true })).rejects.toMatchObject({ status: rejection });
  await expect(remove('system-none')).rejects.toMatchObject({ status: { code: 404 } });
  await remove('mine');
  for (const name of SYSTEM_PRIORITY_CLASSES.keys()) expect(await fixture.stored('priorityclasses', name)).toBeDefined();
});
