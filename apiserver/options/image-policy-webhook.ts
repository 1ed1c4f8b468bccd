/** The webhook that judges images, as the kubeconfig of its plug-in names it. Loaded only where the plug-in is on. */
import type { SendImageReview, ImagePolicySettings } from '../admission/plugins/pods/image-policy';
import { throttle } from '../../shared/runtime/throttle';
import type { Logger } from '../../shared/runtime/logger';
import { replyOf } from '../webhook-client/reply';
import { createWebhookCaller, openWebhook, type WebhookParts } from './webhooks';

const TIMEOUT_MS = 30_000;
const LOG_INTERVAL_MS = 60_000;

/** Rejects when the kubeconfig is unusable. */
export async function openImagePolicyWebhook(
  { kubeConfigFile, retryMs }: ImagePolicySettings,
  { logger, ...parts }: WebhookParts & { readonly logger: Logger },
): Promise<SendImageReview> {
  const webhook = await openWebhook('image-policy-webhook', kubeConfigFile, parts);
  const callWebhook = createWebhookCaller(webhook, TIMEOUT_MS, parts, retryMs);
  const logFailure = throttle(parts.clock, LOG_INTERVAL_MS, (error: Error) =>
    logger.warn('the image policy webhook could not be called', { error }),
  );
  return async (body) => {
    const response = await callWebhook(body);
    if (response.type === 'failure') logFailure(response.error);
    const { server } = webhook;
    return replyOf(response, { url: server.href, server });
  };
}
