/** Replays what the admission plug-in PodSecurity of release 1.31.1 did with pods, workloads and namespaces. */
import { AS_THE_TABLE_SAYS } from '../../../apiserver/admission/switches';
import { replayRequests } from './replay-requests';

replayRequests(['admission/pod-security-controls', 'admission/pod-security-versions', 'admission/pod-security-labels'], {
  server: () => ({ plugins: { ...AS_THE_TABLE_SAYS, disabled: ['ServiceAccount'] } }),
});
