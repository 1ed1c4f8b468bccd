/**
 * Admission control with real kubectl: policies with parameters, the pod security level of a namespace, and webhooks
 * that deny, change, warn and fail.
 */
import { describeWithKubectl } from '../../support/external/kubectl-session';
import { waitUntil } from '../../support/programs';
import { startReviewServer } from '../../support/servers/review-server';
import { useClosable } from '../../support/use-resource';
import { fixture } from '../fixture';

const CONFIGMAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n';

describeWithKubectl('admission', (session) => {
  const policyName = `most-${session.namespace}`;
  /** A policy and its binding, which limit the replicas of Deployments to the value `most` of the ConfigMap `limits`. */
  const policyManifest = (name: string): string => fixture('replica-limit-policy.yaml', { POLICY: name, NAMESPACE: session.namespace });

  it('a policy denies what its parameter does not allow', async () => {
    await session.ok('create configmap limits --from-literal=most=3');
    await session.ok('apply -f -', policyManifest(policyName));
    const message = `ValidatingAdmissionPolicy '${policyName}' with binding '${policyName}' denied request: at most 3 replicas`;
    await waitUntil('the policy to take effect', async () =>
      (await session.run('create deployment web --image=web --replicas=4 --dry-run=server')).stderr.includes(message),
    );
    await session.ok('create deployment web --image=web --replicas=3');
    expect(await session.fails('scale deployment web --replicas=5')).toContain(message);
  });

  it('a policy follows a change of its parameter', async () => {
    await session.ok('patch configmap limits -p {"data":{"most":"5"}}');
    await waitUntil('the parameter to take effect', async () => (await session.run('scale deployment web --replicas=5')).code === 0);
  });

  it('a policy only warns when its binding has the action Warn', async () => {
    await session.ok(`patch validatingadmissionpolicybinding ${policyName} --type=merge -p {"spec":{"validationActions":["Warn"]}}`);
    await waitUntil('the warning', async () =>
      (await session.run('scale deployment web --replicas=6')).stderr.includes(
        `Warning: Validation failed for ValidatingAdmissionPolicy '${policyName}'`,
      ),
    );
  });

  it('a policy with an undeclared variable is rejected', async () => {
    const broken = policyManifest(`broken-${policyName}`).replace('int(params', 'int(parameters');
    expect(await session.fails('apply -f -', broken)).toContain("undeclared reference to 'parameters'");
    await session.ok(`delete validatingadmissionpolicy,validatingadmissionpolicybinding ${policyName}`);
  });

  it('a privileged pod is rejected by the security level that a namespace enforces', async () => {
    await session.ok(`label namespace ${session.namespace} pod-security.kubernetes.io/enforce=restricted`);
    const refusal = await session.fails('run web --image=web --privileged');
    expect(refusal).toContain('violates PodSecurity "restricted:latest": privileged');
  });

  it('a privileged pod is warned of by the security level of which a namespace warns', async () => {
    await session.ok(`label namespace ${session.namespace} pod-security.kubernetes.io/warn=baseline pod-security.kubernetes.io/enforce-`);
    expect((await session.run('run web --image=web --privileged')).stderr).toContain(
      'Warning: would violate PodSecurity "baseline:latest": privileged',
    );
  });

  describe('webhooks', () => {
    const webhooks = useClosable(() => startReviewServer());
    afterEach(async () => {
      const { namespace } = session;
      await session.run(`delete mutatingwebhookconfigurations,validatingwebhookconfigurations hooks-${namespace} --ignore-not-found`);
    });

    /** Applies a configuration with a webhook for ConfigMaps of this namespace. */
    async function applyWebhook(type: 'Mutating' | 'Validating', behaviour: string, failurePolicy = 'Fail'): Promise<void> {
      const values = {
        KIND: `${type}WebhookConfiguration`,
        NAMESPACE: session.namespace,
        URL: `https://127.0.0.1:${webhooks().port}/${behaviour}`,
        CA: webhooks().caBundle,
        FAILURE_POLICY: failurePolicy,
      };
      await session.ok('apply -f -', fixture('configmap-webhook.yaml', values));
    }

    it('deny creations, changes and deletions until their configuration is deleted', async () => {
      await session.ok('apply -f -', CONFIGMAP);
      await applyWebhook('Validating', 'deny-message');
      const message = 'admission webhook "hook.example.com" denied the request: no way';
      await waitUntil('the webhook to take effect', async () =>
        (await session.run('create configmap other --dry-run=server')).stderr.includes(message),
      );
      for (const command of ['create configmap other', 'label configmap m x=y', 'delete configmap m']) {
        expect(await session.fails(command)).toContain(message);
      }
      await session.ok(`delete validatingwebhookconfiguration hooks-${session.namespace}`);
      await waitUntil('the webhook to be removed', async () => (await session.run('label configmap m x=y --overwrite')).code === 0);
    });

    it('change objects that are applied by the server', async () => {
      await applyWebhook('Mutating', 'patch-data');
      await waitUntil('the webhook to take effect', async () =>
        (await session.ok('create configmap fresh --from-literal=a=1 --dry-run=server -o yaml')).includes('patched: "yes"'),
      );
      await session.ok('apply --server-side --force-conflicts -f -', CONFIGMAP);
      expect(await session.ok('get configmap m -o jsonpath={.data.patched}')).toBe('yes');
    });

    it('warn of requests', async () => {
      await applyWebhook('Mutating', 'warn-twice');
      await waitUntil('the warning', async () =>
        (await session.run('annotate configmap m a=b --overwrite')).stderr.includes('Warning: same'),
      );
    });

    it('that break their connections are ignored with the failure policy Ignore', async () => {
      await applyWebhook('Validating', 'cut', 'Ignore');
      await session.ok('apply -f -', CONFIGMAP);
    });

    it('that break their connections fail requests once the failure policy is Fail', async () => {
      await applyWebhook('Validating', 'cut', 'Ignore');
      await session.ok(
        `patch validatingwebhookconfiguration hooks-${session.namespace} --type=json -p [{"op":"replace","path":"/webhooks/0/failurePolicy","value":"Fail"}]`,
      );
      await waitUntil('the failure', async () =>
        (await session.run('create configmap late --dry-run=server')).stderr.includes('failed calling webhook "hook.example.com"'),
      );
    });
  });
});
