/**
 * The webhook of the plug-in ImagePolicyWebhook, which decides whether images may be used, from the kubeconfig that the
 * plug-in is configured with. Loaded only when the plug-in is enabled; the plug-in itself is in apiserver/admission.
 */
import type { SendImageReview, ImagePolicySettings } from '../admission/plugins/pods/image-policy';
import { throttle } from '../../shared/runtime/throttle';
import type { Logger } from '../../shared/runtime/logger';
import { replyOf } from '../webhook-client/reply';
import { createWebhookCaller, openWebhook, type KubeconfigWebhookDependencies } from './webhooks';

/** Time limit of a call; upstream's default for webhooks. */
const TIMEOUT_MS = 30_000;
/** Minimum time between two log lines about failures. */
const LOG_INTERVAL_MS = 60_000;

/** Returns the function that sends an image review. Rejects when the kubeconfig is unusable. */
export async function openImagePolicyWebhook(
  { kubeConfigFile, retryMs }: ImagePolicySettings,
  { logger, ...deps }: KubeconfigWebhookDependencies & { readonly logger: Logger },
): Promise<SendImageReview> {
  const webhook = await openWebhook('image-policy-webhook', kubeConfigFile, deps);
  const callWebhook = createWebhookCaller(webhook, deps, { timeoutMs: TIMEOUT_MS, firstPauseMs: retryMs });
  const logFailure = throttle(deps.clock, LOG_INTERVAL_MS, (error: Error) =>
    logger.warn('the image policy webhook could not be called', { error }),
  );
  return async (body) => {
    const response = await callWebhook(body);
    if (response.type === 'failure') logFailure(response.error);
    const { server } = webhook;
    return replyOf(response, { url: server.href, server });
  };
}
