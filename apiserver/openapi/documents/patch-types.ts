/** The supported media types of patches. */
export const PATCH_MEDIA_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
/** The patch types of custom kinds. */
export const CUSTOM_PATCH_MEDIA_TYPES: readonly string[] = PATCH_MEDIA_TYPES.filter((type) => !type.includes('strategic'));
