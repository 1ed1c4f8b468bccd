/** Admission policies and their bindings: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const apiVersion = 'admissionregistration.k8s.io/v1';

const rule = (members: Body = {}): Body => ({
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  ...members,
});
const MATCH: Body = { resourceRules: [rule()] };
const policy = (members: Body = {}): Body => ({
  spec: { matchConstraints: MATCH, validations: [{ expression: 'true' }], ...members },
});
const matching = (members: Body): Body => policy({ matchConstraints: { ...MATCH, ...members } });
const judging = (...validations: Json[]): Body => policy({ validations });
const noting = (...auditAnnotations: Json[]): Body => policy({ auditAnnotations });
const knowing = (...variables: Json[]): Body => policy({ variables });
const meeting = (...matchConditions: Json[]): Body => policy({ matchConditions });
const many = (count: number, of: (index: number) => Json): Json[] => Array.from({ length: count }, (_, index) => of(index));

export const POLICIES: KindCases = {
  resource: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  apiVersion,
  namespaced: false,
  base: policy(),
  bodies: {
    plain: policy(),
    'no spec': {},
    'an empty spec': { spec: {} },
    'no constraints': { spec: { validations: [{ expression: 'true' }] } },
    'no rules': policy({ matchConstraints: {} }),
    'no validations': policy({ validations: [] }),
    'only annotations': { spec: { matchConstraints: MATCH, auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] } },
    'an operation that is none': matching({ resourceRules: [rule({ operations: ['READ'] })] }),
    'no operations': matching({ resourceRules: [rule({ operations: [] })] }),
    'a resource twice': matching({ resourceRules: [rule({ resources: ['pods/*', 'pods/log'] })] }),
    'resource names': matching({ resourceRules: [rule({ resourceNames: ['a', 'b'] })] }),
    'a resource name twice': matching({ resourceRules: [rule({ resourceNames: ['a', 'a'] })] }),
    'malformed resource names and operations': matching({ resourceRules: [rule({ resourceNames: ['a/b'], operations: [] })] }),
    'malformed resource names': matching({ resourceRules: [rule({ resourceNames: ['', 'a/b'] })] }),
    'a malformed excluded rule': matching({ excludeResourceRules: [rule({ apiVersions: [''] })] }),
    'a match policy that is none': matching({ matchPolicy: 'Alike' }),
    'a malformed selector': matching({ namespaceSelector: { matchLabels: { 'a b': 'c' } } }),
    'a malformed object selector': matching({ objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } }),
    'a failure policy that is none': policy({ failurePolicy: 'Perhaps' }),
    'failures ignored': policy({ failurePolicy: 'Ignore' }),
    'a kind of parameters': policy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'params.data.a == "1"' }],
    }),
    'an empty kind of parameters': policy({ paramKind: {} }),
    'a malformed version of parameters': policy({ paramKind: { apiVersion: 'a/b/c', kind: 'K' } }),
    'parameters of a group without a version': policy({ paramKind: { apiVersion: 'a/', kind: 'K' } }),
    'parameters of no group and no version': policy({ paramKind: { apiVersion: '/', kind: 'K' } }),
    'a malformed group and kind of parameters': policy({ paramKind: { apiVersion: 'A_b/v1', kind: 'k_' } }),
    'no expression': judging({}),
    'a blank expression': judging({ expression: '  ' }),
    'an expression that does not compile': judging({ expression: 'object.' }),
    'an unknown variable': judging({ expression: 'nothing == 1' }),
    'parameters that there are none': judging({ expression: 'params.a == 1' }),
    'an expression of another type': judging({ expression: "'a'" }),
    'a free expression': judging({ expression: 'object.spec' }),
    'a blank message': judging({ expression: 'true', message: ' ' }),
    'a message with lines': judging({ expression: 'true', message: 'a\nb' }),
    'a long message': judging({ expression: 'true', message: 'a'.repeat(6_000) }),
    'an expression with lines and no message': judging({ expression: 'true &&\ntrue' }),
    'a reason that is none': judging({ expression: 'true', reason: 'Because' }),
    'a message that does not compile': judging({ expression: 'true', messageExpression: 'object.' }),
    'a message of another type': judging({ expression: 'true', messageExpression: '1' }),
    'a blank message expression': judging({ expression: 'true', messageExpression: ' ' }),
    'a message that asks the authorizer': judging({ expression: 'true', messageExpression: "authorizer.path('/x').check('get').reason()" }),
    'an expensive expression': judging({ expression: 'object.a.all(x, object.a.all(y, object.a.all(z, x == y && y == z)))' }),
    'questions to the authorizer': judging({ expression: "authorizer.group('').resource('pods').check('get').allowed()" }),
    'a variable': knowing({ name: 'a', expression: '1' }),
    'a variable of a variable': policy({
      variables: [
        { name: 'a', expression: '1' },
        { name: 'b', expression: 'variables.a + 1' },
      ],
      validations: [{ expression: 'variables.b == 2' }],
    }),
    'a variable before it is there': knowing({ name: 'a', expression: 'variables.b' }, { name: 'b', expression: '1' }),
    'an unknown member of variables': judging({ expression: 'variables.x == 1' }),
    'a variable without an expression': policy({
      variables: [{ name: 'a', expression: '' }],
      validations: [{ expression: 'variables.x == 1' }],
    }),
    'a variable of the wrong type': policy({
      variables: [{ name: 'a', expression: '1' }],
      validations: [{ expression: "variables.a == 'x'" }],
    }),
    'a variable twice': knowing({ name: 'a', expression: '1' }, { name: 'a', expression: '2' }),
    'a variable without name and expression': knowing({}),
    'a malformed variable': knowing({ name: 'a-b', expression: '1' }),
    'a reserved variable': knowing({ name: 'true', expression: '1' }),
    'a variable that does not compile': knowing({ name: 'a', expression: '1 +' }),
    'a note': noting({ key: 'k', valueExpression: "'v'" }),
    'an empty note': noting({}),
    'a malformed note': noting({ key: 'a/b/c', valueExpression: "'v'" }),
    'a note with a slash': noting({ key: 'a.example/b', valueExpression: "'v'" }),
    'a note twice': noting({ key: 'k', valueExpression: "'v'" }, { key: 'k', valueExpression: "'w'" }),
    'a note of another type': noting({ key: 'k', valueExpression: '1' }),
    'a note that may be null': noting({ key: 'k', valueExpression: 'null' }),
    'a note that does not compile': noting({ key: 'k', valueExpression: '(' }),
    'a long note': noting({ key: 'k', valueExpression: `'${'v'.repeat(6_000)}'` }),
    'too many notes': noting(...many(21, (index) => ({ key: `k${index}`, valueExpression: "'v'" }))),
    'a condition': meeting({ name: 'a', expression: 'true' }),
    'a condition with parameters': policy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'a', expression: 'params.a == 1' }],
    }),
    'a condition with variables': policy({
      variables: [{ name: 'a', expression: '1' }],
      matchConditions: [{ name: 'a', expression: 'variables.a == 1' }],
    }),
    'a condition that asks the authorizer': meeting({ name: 'a', expression: "authorizer.path('/x').check('get').allowed()" }),
    'an empty condition': meeting({}),
    'a condition of another type': meeting({ name: 'a', expression: '1' }),
    'a condition twice': meeting({ name: 'a', expression: 'true' }, { name: 'a', expression: 'true' }),
    'too many conditions': meeting(...many(65, (index) => ({ name: `c${index}`, expression: 'true' }))),
  },
  changes: {
    'nothing changes': [policy(), policy()],
    'an expression changes': [policy(), judging({ expression: 'false' })],
    'an expression breaks': [policy(), judging({ expression: 'object.' })],
    'its constraints go': [policy(), { spec: { validations: [{ expression: 'true' }] } }],
  },
};

const binding = (members: Body = {}): Body => ({ spec: { policyName: 'p', validationActions: ['Deny'], ...members } });
const given = (paramRef: Json): Body => binding({ paramRef });

export const POLICY_BINDINGS: KindCases = {
  resource: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  apiVersion,
  namespaced: false,
  base: binding(),
  bodies: {
    plain: binding(),
    'no spec': {},
    'no policy': binding({ policyName: '' }),
    'a malformed policy': binding({ policyName: 'A_b' }),
    'no actions': binding({ validationActions: [] }),
    'an action that is none': binding({ validationActions: ['Refuse'] }),
    'an action twice': binding({ validationActions: ['Warn', 'Warn'] }),
    'deny and warn': binding({ validationActions: ['Deny', 'Warn'] }),
    'deny and note': binding({ validationActions: ['Deny', 'Audit'] }),
    'a parameter': given({ name: 'a', namespace: 'n', parameterNotFoundAction: 'Deny' }),
    'an empty parameter': given({}),
    'a parameter by name and selector': given({ name: 'a', selector: {}, parameterNotFoundAction: 'Allow' }),
    'all parameters': given({ selector: {}, parameterNotFoundAction: 'Allow' }),
    'nothing said of a missing parameter': given({ name: 'a' }),
    'something else said of a missing parameter': given({ name: 'a', parameterNotFoundAction: 'Wait' }),
    'a malformed parameter': given({ name: 'a/b', namespace: 'A', parameterNotFoundAction: 'Deny' }),
    'a malformed selector of parameters': given({ selector: { matchLabels: { 'a b': 'c' } }, parameterNotFoundAction: 'Deny' }),
    'an empty match': binding({ matchResources: {} }),
    'a match': binding({ matchResources: MATCH }),
    'a malformed match': binding({ matchResources: { resourceRules: [rule({ resources: [] })], matchPolicy: 'Alike' } }),
  },
  changes: {
    'another policy': [binding(), binding({ policyName: 'q' })],
    'other actions': [binding(), binding({ validationActions: ['Warn'] })],
    'its actions go': [binding(), binding({ validationActions: [] })],
  },
};
