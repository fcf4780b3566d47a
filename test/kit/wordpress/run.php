<?php
// Runs the PHP of its input inside of the site, and prints what it returns as JSON. `install` sets the site up first.
define('ABSPATH', getenv('SITE_FOLDER') . '/');
$_SERVER['HTTP_HOST'] = parse_url(getenv('SITE_URL'), PHP_URL_HOST);
if (($argv[1] ?? '') === 'install') {
    define('WP_INSTALLING', true);
    // In the place of the one that sends a mail.
    function wp_new_blog_notification() {}
}
require ABSPATH . 'wp-load.php';
if (defined('WP_INSTALLING')) {
    require_once ABSPATH . 'wp-admin/includes/admin.php';
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    // It would ask itself over http whether the server rewrites addresses.
    add_filter('pre_option_permalink_structure', fn() => '/%postname%/');
    wp_install('A site', 'root', 'root@oats.example', true, '', wp_generate_password());
    remove_all_filters('pre_option_permalink_structure');
}
$result = eval(stream_get_contents(STDIN));
if (is_wp_error($result)) {
    fwrite(STDERR, $result->get_error_message());
    exit(1);
}
echo wp_json_encode($result);
