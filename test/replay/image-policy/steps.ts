/** What is asked of a server whose images a webhook judges, and how what comes of it is noted. Names are upstream's. */
import { systemClock } from '../../../shared/runtime/clock';
import { GENERATED } from '../new-values';
import { isBody, type Body, type Json } from '../reference';
import type { Asked } from '../webhooks/run';
import type { ImageServer } from './server';

export interface ImageStep {
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly body?: Body;
  readonly type?: string;
}

const NAMESPACE = 'rec-images';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const STRATEGIC = 'application/strategic-merge-patch+json';

export const BEFORE: readonly ImageStep[] = [
  { title: 'namespace', method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } },
  { title: 'account', method: 'POST', path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, body: { metadata: { name: 'default' } } },
];

const container = (image: string, name = 'c'): Body => ({ name, image });

function create(title: string, image: string, spec: Body = {}, metadata: Body = {}, query = ''): ImageStep {
  const name = title.replaceAll(/[^a-z0-9]+/g, '-');
  const body = { metadata: { name, ...metadata }, spec: { automountServiceAccountToken: false, containers: [container(image)], ...spec } };
  return { title, method: 'POST', path: PODS + query, body };
}

const patch = (title: string, name: string, body: Body, type = STRATEGIC): ImageStep => ({
  title,
  method: 'PATCH',
  path: `${PODS}/${name}`,
  body,
  type,
});

const faults = [
  ...['status-400', 'status-500', 'plain-400', 'plain-404', 'plain-503', 'rubbish', 'empty', 'cut'],
  ...['other-kind', 'other-version', 'no-kind', 'no-status', 'text-for-bool', 'number-for-reason'],
];

const template: Body = { metadata: { labels: { a: 'b' } }, spec: { containers: [container('deny:7')] } };

export const STEPS: readonly ImageStep[] = [
  create('allowed', 'allow:1'),
  create('allowed and known', 'allow:1'),
  create('denied', 'deny:1'),
  create('denied and known', 'deny:1'),
  create('denied with a reason', 'reason:1'),
  create('notes', 'notes:1'),
  create('notes and known', 'notes:1'),
  create('denied with notes', 'denied-notes:1'),
  create('answered with 201', 'created:1'),
  create('every container', 'allow:2', {
    containers: [container('allow:2'), container('same', 'd'), container('same', 'e')],
    initContainers: [container('before', 'i')],
  }),
  create(
    'annotations',
    'allow:3',
    {},
    {
      annotations: {
        'z.image-policy.k8s.io/x': '1',
        'a.image-policy.k8s.io/x': '2',
        'image-policy.k8s.io/x': '3',
        'b.image-policy.k8s.io': '4',
        'x.y.image-policy.k8s.io/x': '5',
        'image-policy.k8s.io.example.com/x': '6',
        'example.com/x': '7',
      },
    },
  ),
  create('dry run', 'allow:4', {}, {}, '?dryRun=All'),
  create('denied dry run', 'deny:4', {}, {}, '?dryRun=All'),
  create('generated name', 'deny:5', {}, { name: null, generateName: 'g-' }),
  create('invalid', 'allow:6', { restartPolicy: 'x' }),
  create('without an image', ''),
  {
    title: 'a Deployment',
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
    body: { metadata: { name: 'd' }, spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } },
  },
  patch('labelled', 'allowed', { metadata: { labels: { a: 'b' } } }),
  patch('annotated', 'allowed', { metadata: { annotations: { 'a.image-policy.k8s.io/x': '1' } } }),
  patch('unchanged', 'allowed', { metadata: { labels: { a: 'b' } } }),
  patch('another image', 'allowed', { spec: { containers: [container('allow:8')] } }),
  patch('a denied image', 'allowed', { spec: { containers: [container('deny:8')] } }),
  patch('status', 'allowed/status', { status: { message: 'x' } }),
  patch('ephemeral', 'allowed/ephemeralcontainers', { spec: { ephemeralContainers: [container('allow:9', 'e1')] } }),
  patch('denied ephemeral', 'allowed/ephemeralcontainers', { spec: { ephemeralContainers: [container('deny:9', 'e2')] } }),
  patch('labelled with ephemeral', 'allowed', { metadata: { labels: { a: 'c' } } }),
  { title: 'bound', method: 'POST', path: `${PODS}/allowed/binding`, body: { metadata: { name: 'allowed' }, target: { name: 'n' } } },
  { title: 'deleted', method: 'DELETE', path: `${PODS}/allowed?gracePeriodSeconds=0` },
  ...faults.map((does) => create(`fault ${does}`, `${does}:1`)),
  create('a fault again', 'rubbish:1'),
];

let count = 0;

function send(server: Asked, { method, path, body, type = 'application/json' }: ImageStep, auditId: string) {
  const headers = { 'audit-id': auditId, ...(body === undefined ? {} : { 'content-type': type }) };
  return server.send(method, path, headers, body === undefined ? '' : JSON.stringify(body));
}

/** What was answered and noted, and what the webhook was asked. */
export async function take(server: Asked, images: ImageServer, step: ImageStep): Promise<Body> {
  const auditId = `image-${++count}`;
  images.asked.splice(0);
  const { code, text } = await send(server, step, auditId);
  const answer: Json = JSON.parse(text);
  const message = code < 400 || !isBody(answer) ? {} : { message: answer['message'] ?? null, reason: answer['reason'] ?? null };
  const annotations = await server.annotations(auditId);
  const asked = images.asked.splice(0);
  const line = { title: step.title, code, ...message, annotations, asked };
  const masked = JSON.stringify(line).replaceAll(`:${images.port}`, ':<port>').replaceAll(GENERATED, 'g-<name>');
  const noted: Json = JSON.parse(masked);
  if (!isBody(noted)) throw new Error('no line');
  return noted;
}

/** Until the account of pods is seen. */
const SEEN_MS = 300;

export async function takeAll(server: Asked, images: ImageServer): Promise<readonly Body[]> {
  for (const step of BEFORE) await send(server, step, `image-${++count}`);
  await systemClock.sleep(SEEN_MS);
  const lines: Body[] = [];
  for (const step of STEPS) lines.push(await take(server, images, step));
  return lines;
}
