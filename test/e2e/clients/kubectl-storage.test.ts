/**
 * Storage with real kubectl and the controllers: a claim is bound to a volume, keeps it until the claim is deleted, and
 * an ephemeral volume gets a claim of its own. The expected columns are those of release 1.31.1.
 */
import { startControllers } from '../../support/control-plane';
import { describeWithPackagedKubectl, parseTable } from '../../support/external/kubectl-session';
import { useResource } from '../../support/use-resource';
import { fixture } from '../fixture';

/** The storage class of the fixtures. No StorageClass of this name exists, so nothing provisions a volume. */
const CLASS = 'manual';
const WAIT = '--timeout=60s';
const ANY_AGE = expect.stringMatching(/^\d+s$/);

describeWithPackagedKubectl(
  'storage',
  () => ({ args: ['--naming=kubernetes'] }),
  (session, server) => {
    useResource(
      () => startControllers(server.running, '--naming=kubernetes'),
      (controllers) => controllers.stop(),
      60_000,
    );

    it('a claim is bound to a hostPath volume, which is Released with the claim', async () => {
      await session.ok('apply -f -', fixture('volume-and-claim.yaml'));
      await session.ok(`wait pvc/data --for=jsonpath={.status.phase}=Bound ${WAIT}`);
      expect(parseTable(await session.ok('get pvc data --no-headers'))).toEqual([
        ['data', 'Bound', 'disk', '1Gi', 'RWO', CLASS, '<unset>', ANY_AGE],
      ]);
      expect(parseTable(await session.ok('get pv disk --no-headers'))).toEqual([
        ['disk', '1Gi', 'RWO', 'Retain', 'Bound', 'default/data', CLASS, '<unset>', ANY_AGE],
      ]);
      await session.ok('delete pvc data');
      await session.ok(`wait pv/disk --for=jsonpath={.status.phase}=Released ${WAIT}`);
    });

    it('an ephemeral volume gets a claim that is deleted with its pod', async () => {
      await session.ok('apply -f -', fixture('pod-with-ephemeral-volume.yaml'));
      await session.ok(`wait pvc/builder-scratch --for=create ${WAIT}`);
      await session.ok(`wait pvc/builder-scratch --for=jsonpath={.status.phase}=Pending ${WAIT}`);
      await session.ok('delete pod builder --now');
      await session.ok(`wait pvc/builder-scratch --for=delete ${WAIT}`);
    });
  },
);
