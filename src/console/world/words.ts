import { InvalidRequestError, SocialPublishingError } from 'social-publishing';

/** What went wrong, in words for a person. */
export function wordsOf(error: unknown): string {
  if (error instanceof InvalidRequestError)
    return error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; ');
  if (error instanceof SocialPublishingError && error.outcome === 'unknown')
    return `${error.message} It is not known whether it was carried out.`;
  return error instanceof Error ? error.message : String(error);
}
