/** The webhook that judges images, as the kubeconfig of its plug-in names it. Loaded only where the plug-in is on. */
import type { SendImageReview, ImagePolicySettings } from '../admission/plugins/pods/image-policy';
import { throttle } from '../../shared/runtime/throttle';
import type { Logger } from '../../shared/runtime/logger';
import { replyOf } from '../webhook-client/reply';
import { asking, openWebhook, type WebhookParts } from './webhooks';

const TIMEOUT_MS = 30_000;
const TOLD_EVERY_MS = 60_000;

/** Rejects where the kubeconfig cannot be used. */
export async function openImageReviews(
  { kubeConfigFile, retryMs }: ImagePolicySettings,
  { logger, ...parts }: WebhookParts & { readonly logger: Logger },
): Promise<SendImageReview> {
  const webhook = await openWebhook('image-policy-webhook', kubeConfigFile, parts);
  const ask = asking(webhook, TIMEOUT_MS, parts, retryMs);
  const tell = throttle(parts.clock, TOLD_EVERY_MS, (error: Error) =>
    logger.warn('the image policy webhook could not be asked', { error }),
  );
  return async (body) => {
    const answer = await ask(body);
    if (answer.type === 'fault') tell(answer.error);
    const { server } = webhook;
    return replyOf(answer, { url: server.href, server });
  };
}
