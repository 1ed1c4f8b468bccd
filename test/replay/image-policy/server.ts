/**
 * An image policy webhook for tests and recorders. The name of the first image selects the response in responses.yaml
 * (`deny:1`, `status-500:2`); `cut` closes the connection.
 */
import { kubeconfigOf } from '../../support/kubeconfig';
import { readTable } from '../../support/read-table';
import { startWebhookServer, type WebhookServer } from '../../support/servers/webhook-server';
import { isBody, membersOf, objectsIn, textOf, type Body, type Json } from '../json-response';
import { body, mapOf, shape } from '../shape';
import { behavioursIn, isHttpReply, type Reply } from '../webhooks/behaviours';

export interface ImageServer extends WebhookServer {
  /** The reviews received so far, in order, with their authorization headers. */
  readonly receivedReviews: Body[];
}

const table = readTable('test/replay/image-policy/responses.yaml', shape({ statuses: mapOf(body), replies: mapOf(isHttpReply) }));

/** By the first part of the image's name. */
const RESPONSES: Readonly<Record<string, Reply>> = {
  ...behavioursIn(table.statuses, (status) => ({
    body: { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status },
  })),
  ...table.replies,
  cut: 'cut',
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

/** The image of the first container of an ImageReview; '' when there is none. */
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

/** The admission configuration that makes the server call the webhook of the kubeconfig. */
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
