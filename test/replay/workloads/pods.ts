/** The pods that the recorded workloads make. */
import type { Body } from '../reference';

export const LABELS: Body = { a: 'b' };
export const SELECTOR: Body = { matchLabels: LABELS };

/** A template with further members of its pods' spec. */
export const template = (members: Body = {}, metadata: Body = { labels: LABELS }): Body => ({
  metadata,
  spec: { containers: [{ name: 'c', image: 'i' }], ...members },
});

const onHost = (port: Body): Body => template({ hostNetwork: true, containers: [{ name: 'c', image: 'i', ports: [port] }] });

/** What is taken with a warning. */
export const twice = (restartPolicy: string): Body =>
  template({
    restartPolicy,
    containers: [{ name: 'c', image: 'i', env: ['1', '2'].map((value) => ({ name: 'A', value })) }],
    terminationGracePeriodSeconds: -1,
  });

/** What templates may be, and what selectors may be, where a workload selects its pods by `selector`. */
export function templateBodies(spec: (members: Body) => Body): Record<string, Body> {
  return {
    'template: absent': spec({ template: null }),
    'template: empty': spec({ template: {} }),
    'template: no labels': spec({ template: template({}, {}) }),
    'template: other labels': spec({ template: template({}, { labels: { a: 'c' } }) }),
    'template: more labels': spec({ template: template({}, { labels: { a: 'b', c: 'd' } }) }),
    'template: malformed labels': spec({ template: template({}, { labels: { a: 'b', c: '-' } }) }),
    'template: malformed annotations': spec({ template: template({}, { labels: LABELS, annotations: { 'a b': '' } }) }),
    'template: a name': spec({ template: template({}, { labels: LABELS, name: 'A/B', namespace: 'x', finalizers: ['a'] }) }),
    'template: no containers': spec({ template: template({ containers: [] }) }),
    'template: wrong container': spec({ template: template({ containers: [{ name: 'A', image: '' }] }) }),
    'template: OnFailure': spec({ template: template({ restartPolicy: 'OnFailure' }) }),
    'template: Never': spec({ template: template({ restartPolicy: 'Never' }) }),
    'template: unknown policy': spec({ template: template({ restartPolicy: 'x' }) }),
    'template: deadline': spec({ template: template({ activeDeadlineSeconds: 5 }) }),
    'template: deadline of zero': spec({ template: template({ activeDeadlineSeconds: 0 }) }),
    'template: ephemeral containers': spec({ template: template({ ephemeralContainers: [{ name: 'd', image: 'i' }] }) }),
    'template: the host network': spec({ template: onHost({ containerPort: 80 }) }),
    'template: another port of the host network': spec({ template: onHost({ containerPort: 80, hostPort: 81 }) }),
    'template: a variable twice': spec({ template: twice('Always') }),
    'template: everything wrong': spec({
      template: template(
        { containers: [], restartPolicy: 'x', activeDeadlineSeconds: 0, ephemeralContainers: [{ name: 'd', image: 'i' }] },
        { labels: { a: 'c', d: '-' } },
      ),
    }),
    'template: wrong container, deadline and policy': spec({
      template: template({ containers: [{ name: 'A', image: 'i' }], restartPolicy: 'Never', activeDeadlineSeconds: 5 }),
    }),
  };
}

export function selectorBodies(spec: (members: Body) => Body): Record<string, Body> {
  return {
    'selector: absent': spec({ selector: null }),
    'selector: empty': spec({ selector: {} }),
    'selector: others': spec({ selector: { matchLabels: { a: 'c' } } }),
    'selector: expression': spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] } }),
    'selector: expression that does not match': spec({ selector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] } }),
    'selector: expression without values': spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    'selector: malformed labels': spec({ selector: { matchLabels: { 'a b': '-' } } }),
    'selector: malformed value of an expression': spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } }),
    'selector: value that matches nothing malformed': spec({
      selector: { matchLabels: LABELS, matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['-'] }] },
    }),
    'selector: unknown operator': spec({ selector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
    'selector and template wrong': spec({ selector: { matchLabels: { a: '-' } }, template: template({ restartPolicy: 'Never' }, {}) }),
    'selector empty and template wrong': spec({ selector: {}, template: template({ containers: [] }, {}) }),
  };
}

/** Whose selector never changes. */
export function selectorChanges(spec: (members: Body) => Body): Record<string, readonly [Body, Body]> {
  const other = { selector: { matchLabels: { c: 'd' } }, template: template({}, { labels: { c: 'd' } }) };
  return {
    'nothing changes': [spec({}), spec({})],
    'selector changes': [spec({}), spec(other)],
    'selector changes and does not match': [spec({}), spec({ selector: { matchLabels: { c: 'd' } } })],
    'selector becomes empty': [spec({}), spec({ selector: {} })],
    'selector goes': [spec({}), spec({ selector: null })],
    'selector gets an expression': [
      spec({}),
      spec({ selector: { matchLabels: LABELS, matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
    ],
    'selector says the same in another way': [
      spec({}),
      spec({ selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] } }),
    ],
    'template changes': [spec({}), spec({ template: template({ hostname: 'h' }, { labels: { a: 'b', c: 'd' } }) })],
    'a template that is warned of stays': [
      spec({ template: twice('Always') }),
      { metadata: { labels: { a: 'b' } }, ...spec({ template: twice('Always') }) },
    ],
    'a template that is warned of stays, the rest changes': [
      spec({ template: twice('Always') }),
      spec({ template: twice('Always'), minReadySeconds: 1 }),
    ],
    'with a status': [spec({}), { ...spec({}), status: { replicas: 5, observedGeneration: 7 } }],
    'labels change': [spec({}), { metadata: { labels: { a: 'b' } }, ...spec({}) }],
    'annotations change': [spec({}), { metadata: { annotations: { a: 'b' } }, ...spec({}) }],
  };
}
