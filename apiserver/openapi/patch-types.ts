/** The media types of patches that are served. */
export const PATCH_MEDIA_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
/** Those of custom kinds. */
export const CUSTOM_PATCH_MEDIA_TYPES: readonly string[] = PATCH_MEDIA_TYPES.filter((type) => !type.includes('strategic'));
