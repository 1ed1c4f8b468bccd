/** Policies that kubectl installs: one with a parameter denies, changes with its parameter, warns, and is gone; a namespace holds its pods to a security level. */
import { waitUntil } from '../support/programs';
import { withEachKubectl } from '../support/kubectl-session';

const policy = (name: string, namespace: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${name}}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}
    resourceRules: [{operations: [CREATE, UPDATE], apiGroups: [apps], apiVersions: [v1], resources: [deployments, deployments/scale]}]
  variables: [{name: most, expression: "int(params.data.most)"}]
  validations:
  - expression: object.spec.replicas <= variables.most
    messageExpression: "'at most ' + string(variables.most) + ' replicas'"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${name}}
spec: {policyName: ${name}, validationActions: [Deny], paramRef: {name: limits, parameterNotFoundAction: Deny}}
`;

withEachKubectl('policies', (current) => {
  it('deny by a parameter, and what it says now counts', async () => {
    const session = current();
    const name = `most-${session.namespace}`;
    await session.ok('create configmap limits --from-literal=most=3');
    await session.ok('apply -f -', policy(name, session.namespace));
    const words = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: at most 3 replicas`;
    await waitUntil('the policy to be asked', async () =>
      (await session.run('create deployment web --image=web --replicas=4 --dry-run=server')).stderr.includes(words),
    );
    await session.ok('create deployment web --image=web --replicas=3');
    expect(await session.fails('scale deployment web --replicas=5')).toContain(words);
    await session.ok('patch configmap limits -p {"data":{"most":"5"}}');
    await waitUntil('the parameter to count', async () => (await session.run('scale deployment web --replicas=5')).code === 0);
    await session.ok(`patch validatingadmissionpolicybinding ${name} --type=merge -p {"spec":{"validationActions":["Warn"]}}`);
    await waitUntil('the warning', async () =>
      (await session.run('scale deployment web --replicas=6')).stderr.includes(
        `Warning: Validation failed for ValidatingAdmissionPolicy '${name}'`,
      ),
    );
    expect(
      await session.fails('apply -f -', policy(`broken-${name}`, session.namespace).replace('int(params', 'int(parameters')),
    ).toContain("undeclared reference to 'parameters'");
    await session.ok(`delete validatingadmissionpolicy,validatingadmissionpolicybinding ${name}`);
  });

  it('of the namespace hold its pods to a level', async () => {
    const session = current();
    await session.ok(`label namespace ${session.namespace} pod-security.kubernetes.io/enforce=restricted`);
    const refused = await session.fails('run web --image=web --privileged');
    expect(refused).toContain('violates PodSecurity "restricted:latest": privileged');
    const warned = await session.run(
      `label namespace ${session.namespace} pod-security.kubernetes.io/warn=baseline pod-security.kubernetes.io/enforce-`,
    );
    expect(warned.code).toBe(0);
    expect((await session.run('run web --image=web --privileged')).stderr).toContain(
      'Warning: would violate PodSecurity "baseline:latest": privileged',
    );
  });
});
