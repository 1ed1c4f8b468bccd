/**
 * An image policy webhook for tests and recorders. The name of the first image selects the response (`deny:1`,
 * `status-500:2`).
 */
import { kubeconfigOf } from '../../support/kubeconfig';
import { startWebhookServer, type WebhookServer } from '../../support/servers/webhook-server';
import { isBody, membersOf, objectsIn, textOf, type Body, type Json } from '../json-response';
import type { Reply } from '../webhooks/behaviours';

export interface ImageServer extends WebhookServer {
  /** The reviews received so far, in order, with their authorization headers. */
  readonly receivedReviews: Body[];
}

const FAILURE = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'told by the webhook' };
const REVIEW = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1' };
const reviewResponse = (status: Body): Reply => ({ body: { ...REVIEW, status } });

const RESPONSES: Readonly<Record<string, Reply>> = {
  allow: reviewResponse({ allowed: true }),
  deny: reviewResponse({ allowed: false }),
  reason: reviewResponse({ allowed: false, reason: 'not from there' }),
  notes: reviewResponse({ allowed: true, auditAnnotations: { a: 'b', 'x.example.com/y': 'z', 'no name!': 'v' } }),
  'denied-notes': reviewResponse({ allowed: false, reason: 'r', auditAnnotations: { a: 'b' } }),
  created: { status: 201, body: { ...REVIEW, status: { allowed: true } } },
  'status-400': { status: 400, body: { ...FAILURE, code: 400, reason: 'BadRequest' } },
  'status-500': { status: 500, body: { ...FAILURE, code: 500 } },
  'plain-400': { status: 400, headers: {}, body: 'text' },
  'plain-404': { status: 404, headers: {}, body: 'text' },
  'plain-503': { status: 503, headers: {}, body: 'text' },
  rubbish: { body: 'rubbish' },
  empty: { body: '' },
  cut: 'cut',
  'other-kind': { body: { ...REVIEW, kind: 'Other', status: { allowed: true } } },
  'other-version': { body: { ...REVIEW, apiVersion: 'imagepolicy.k8s.io/v1beta1', status: { allowed: true } } },
  'no-kind': { body: { status: { allowed: true } } },
  'no-status': { body: REVIEW },
  'text-for-bool': reviewResponse({ allowed: 'yes' }),
  'number-for-reason': reviewResponse({ allowed: false, reason: 5 }),
};

/** Listens on a free port by default. */
export async function startImageServer(port?: number): Promise<ImageServer> {
  const receivedReviews: Body[] = [];
  const server = await startWebhookServer({
    ...(port === undefined ? {} : { port }),
    reply({ headers, text }) {
      const review: Json = JSON.parse(text);
      if (!isBody(review)) throw new Error('no review');
      receivedReviews.push({ authorization: headers['authorization'] ?? '', review });
      return RESPONSES[firstImage(review).split(':', 1)[0] ?? ''] ?? { status: 404, body: 'no such behaviour' };
    },
  });
  return { ...server, receivedReviews };
}

function firstImage({ spec }: Body): string {
  const [first] = objectsIn(membersOf(spec)['containers']);
  return textOf(first?.['image']);
}

/** The kubeconfig with the webhook's URL and the credentials of the server. */
export const imageKubeconfig = ({ port, caBundle }: ImageServer): string =>
  JSON.stringify(
    kubeconfigOf({
      cluster: { server: `https://127.0.0.1:${port}/images`, 'certificate-authority-data': caBundle },
      user: { token: 'of-the-server' },
    }),
  );

export const imageConfiguration = (kubeConfigFile: string, defaultAllow: boolean): string =>
  JSON.stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [
      {
        name: 'ImagePolicyWebhook',
        configuration: { imagePolicy: { kubeConfigFile, allowTTL: 1800, denyTTL: 1800, retryBackoff: 1, defaultAllow } },
      },
    ],
  });
