/** Pods as scenarios make them: there is no scheduler and no kubelet, so their node is chosen and their status written by hand. */
import type { Body, Json } from '../reference';
import { create, patch, type Act } from './scenario';

export interface PodWishes {
  readonly labels?: Body;
  readonly metadata?: Body;
  readonly spec?: Body;
  readonly container?: Body;
  readonly phase?: string;
  readonly conditions?: Json[];
}

export const READY: Body = { type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' };

/** A pod and, where it has a phase, its status. */
export function pod(
  name: string,
  { labels = {}, metadata = {}, spec = {}, container = {}, phase, conditions = [] }: PodWishes = {},
): Act[] {
  const containers = [{ name: 'c', image: 'i', ...container }];
  const made = create('pods', { metadata: { name, labels, ...metadata }, spec: { containers, ...spec } });
  return phase === undefined ? [made] : [made, status(name, { phase, conditions })];
}

export const status = (name: string, value: Body): Act => patch(`pods/${name}/status`, { status: value });

/** One that serves. */
export const ready = (name: string, labels: Body, metadata: Body = {}): Act[] =>
  pod(name, { labels, metadata, phase: 'Running', conditions: [READY] });

/** What says that it belongs to an object that was made before. */
export const ownedBy = (apiVersion: string, kind: string, name: string): Body => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `<uid of ${name}>`, controller: true }],
});
