// Next.js would otherwise redirect /v1/posts/ to /v1/posts.
export default { skipTrailingSlashRedirect: true };
