<?php
// The settings of a site that tests have started: it says them to its processes by their environment.
define('DB_HOST', getenv('SITE_DATABASE_HOST'));
define('DB_NAME', getenv('SITE_DATABASE'));
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
define('WP_HOME', getenv('SITE_URL'));
define('WP_SITEURL', getenv('SITE_URL'));
define('WP_CONTENT_DIR', ABSPATH . 'wp-content');
// Without it there are no application passwords over http.
define('WP_ENVIRONMENT_TYPE', 'local');
if (getenv('SITE_TRASH') === 'none') define('EMPTY_TRASH_DAYS', 0);
// It asks nobody for anything.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false);
define('WP_DEBUG_LOG', ABSPATH . 'wp-content/debug.log');
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';
