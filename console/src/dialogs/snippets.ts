/**
 * A first call in several languages. They read the key from the environment, so that a copied program never contains it.
 * @param key the access key, if it is shown
 */
export function snippetsFor(
  baseUrl: string,
  key = '<the access key>',
): readonly { readonly label: string; readonly text: string }[] {
  const url = baseUrl.replace(/\/$/, '');
  return [
    {
      label: 'Environment',
      text: `SOCIAL_PUBLISHING_BASE_URL=${url}\nSOCIAL_PUBLISHING_ACCESS_KEY=${key}`,
    },
    {
      label: 'TypeScript',
      text: `import { SocialPublishing } from 'social-publishing';

// It reads the two variables above.
const client = new SocialPublishing();
const { items } = await client.posts.list({ limit: 5 });`,
    },
    {
      label: 'curl',
      text: `curl "${url}/v1/posts/?limit=5" -H "x-access-key: $SOCIAL_PUBLISHING_ACCESS_KEY"`,
    },
    {
      label: 'Python',
      text: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}/v1/posts/?limit=5",
    headers={"x-access-key": os.environ["SOCIAL_PUBLISHING_ACCESS_KEY"]},
)
posts = json.load(urllib.request.urlopen(request))["posts"]`,
    },
    {
      label: 'PHP',
      text: `$context = stream_context_create(['http' => [
    'header' => 'x-access-key: ' . getenv('SOCIAL_PUBLISHING_ACCESS_KEY'),
]]);
$reply = file_get_contents('${url}/v1/posts/?limit=5', false, $context);
$posts = json_decode($reply)->posts;`,
    },
  ];
}
